// `pqrs serve`: open the data folder, listen, and end in order.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { type App, createApp } from '../../app.ts';
import { type Config, ConfigError } from '../../config.ts';
import { type Evidence, openEvidence } from '../../evidence/evidence.ts';
import { openContext, type Served } from '../../http/api/context.ts';
import { type Log, openLog } from '../../log.ts';
import { type Listening, listen } from '../../runtime/server.ts';
import { notifyServiceManager } from '../../runtime/service-manager.ts';
import { openServices } from '../../services.ts';
import { VERSION } from '../../version.ts';
import { type FirstStart, firstStart } from '../administration/first-start.ts';
import { DRAIN_MS } from '../administration/run.ts';
import { type Command, listenForStop, outliveReaders, print } from '../command.ts';

const OPEN_REST_AFTER_MS = 10;

export const serve: Command = {
  name: 'serve',
  usage: '[--port PORT] [--data-dir FOLDER] [--project SLUG] [--demo] …',
  help: 'Start the service. This is what pqrs does without a command.',
  settings: 'all',
  printsNoData: true,
  async run(call) {
    const { config } = call;
    // From the first moment: a signal during the start ends it in order too.
    const signalled = new Promise<void>((asked) => listenForStop(asked, () => process.exit(1)));
    const log = openLog(config.logLevel, isatty(2));
    outliveFaults(log);
    const tls = await readTls(config);
    const services = await openServices({ config, log, onLeaseLost: () => endAtOnce(log) });
    const evidence = openEvidence(await openContext(services));
    const first = await firstStart(evidence);
    const app = createApp(evidence);
    const listening = await listen({
      host: config.host,
      port: config.port,
      tls,
      idleSeconds: config.limits.idleSeconds,
      fetch: app.fetch,
    }).catch(async (error: NodeJS.ErrnoException) => {
      await evidence.close();
      const why = error.code === 'EADDRINUSE' ? 'it is in use' : error.message;
      throw new ConfigError(`cannot listen on ${config.host}:${config.port}: ${why}`);
    });
    evidence.connection.peerOf = listening.peerOf;
    const rest = await openRest(app, evidence).catch(async (error) => {
      await listening.stop();
      await evidence.close();
      throw error;
    });
    // It answers already; whoever reads that it is ready finds the demo there too.
    if (config.demo) {
      const { loadDemo } = await import('../administration/demo.ts');
      await loadDemo(evidence);
    }
    welcome(config, listening, first);
    log.info({ version: VERSION, url: listening.url, database: evidence.database.kind }, 'ready');
    await notifyServiceManager('READY=1');
    await signalled;
    await end(evidence, listening, rest);
  },
};

/**
 * Opens what a service needs beside the probes, once those who wait for the port have been served:
 * what is loaded here would keep them waiting. Commands find the socket when the start is printed.
 */
async function openRest(app: App, evidence: Served<Evidence>) {
  await setTimeout(OPEN_REST_AFTER_MS);
  const opened = await app.open();
  outliveReaders();
  const { administer } = await import('../administration/administration.ts');
  const { serveAdministration } = await import('../administration/socket.ts');
  const { startMaintenance } = await import('../administration/maintenance.ts');
  const { config, reportFailure } = evidence;
  const administration = administer(evidence);
  const administrationSocket = await serveAdministration(
    config.dataDir,
    administration,
    reportFailure,
  );
  const stopMaintenance = startMaintenance(evidence, opened);
  void opened.resume();
  return { administrationSocket, stopMaintenance };
}

/** What went wrong where nobody waits ends no service: each write is whole, or not there at all. */
function outliveFaults(log: Log): void {
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    process.on(event, (error: unknown) => log.error({ err: error }, 'a fault went unhandled'));
  }
}

async function readTls(config: Config): Promise<{ cert: string; key: string } | undefined> {
  if (config.tlsCert === undefined || config.tlsKey === undefined) return undefined;
  const read = (name: string, path: string) =>
    readFile(path, 'utf8').catch(() => {
      throw new ConfigError(`${name} names a file that cannot be read`);
    });
  return {
    cert: await read('PQRS_TLS_CERT', config.tlsCert),
    key: await read('PQRS_TLS_KEY', config.tlsKey),
  };
}

function welcome(config: Config, { url }: Listening, { owner, demo, ownerFile }: FirstStart): void {
  print(`pqrs ${VERSION}`);
  print(`  address  ${url}`);
  print(`  data     ${resolve(config.dataDir)}`);
  if (owner) {
    print(`  project  ${owner.slug}`);
    // Elsewhere what is printed may be a log that others read.
    if (isatty(1)) {
      print(`  token    ${owner.token}`);
      print(`           (the owner's, shown this once; also in ${ownerFile})`);
    } else print(`  token    the owner's is in ${ownerFile}`);
  }
  if (demo) {
    const token = isatty(1) ? demo.token : `token in ${demo.file}`;
    print(`  demo     ${token} (reads the project ${demo.slug})`);
  }
  // The browser keeps what is behind the hash to itself.
  const signedIn = owner && isatty(1) ? `/#token=${owner.token}` : '';
  print(`  console  ${url}${signedIn}`);
  print(`  docs     ${url}/docs`);
  print();
  const bearer = owner && isatty(1) ? owner.token : ownerFile ? `$(cat ${ownerFile})` : '<token>';
  print('Try it:');
  print(`  curl -H "Authorization: Bearer ${bearer}" ${url}/api/projects`);
}

async function end(
  evidence: Served<Evidence>,
  listening: Listening,
  { administrationSocket, stopMaintenance }: Awaited<ReturnType<typeof openRest>>,
): Promise<void> {
  await notifyServiceManager('STOPPING=1');
  evidence.log.info('stopping');
  evidence.refuseNew();
  stopMaintenance();
  await Promise.all([listening.drain(DRAIN_MS), administrationSocket.drain(DRAIN_MS)]);
  await listening.stop();
  administrationSocket.stop();
  await evidence.close();
  evidence.log.info('stopped');
  process.exit(0);
}

function endAtOnce(log: Log): void {
  log.fatal('another process has taken over the database');
  process.exit(1);
}
