// The socket of the commands when the server ends: those under way end first, and who is cut off is
// told so in a sentence.
import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { Administration } from '../../src/cli/administration/administration.ts';
import { askServer, serveAdministration } from '../../src/cli/administration/socket.ts';
import { CommandFailed } from '../../src/cli/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const wish = { project: undefined, files: [], mode: 'replace' as const };

/** An import that takes until it is told to end. */
function slowImport() {
  const report = { project: 'p', revision: 1 };
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const administration = {
    import: async () => {
      begin();
      await ended;
      return report;
    },
  } as unknown as Administration;
  return { administration, begun, end, report };
}

const unlogged = () => {};

describe('a server that stops [PQRS-82]', () => {
  test.each([[undefined], [() => {}]])(
    'lets a command under way end, and is found by no further one',
    async (onProgress) => {
      const folder = temporaryFolder('draining');
      const { administration, begun, end, report } = slowImport();
      const socket = await serveAdministration(folder, administration, unlogged);
      const asked = askServer(folder, 'import', wish, onProgress);
      await begun;
      let drained = false;
      const draining = socket.drain(10_000).then(() => {
        drained = true;
      });
      expect(existsSync(join(folder, 'admin.sock'))).toBe(false);
      expect(await askServer(folder, 'import', wish)).toBeUndefined();
      await Bun.sleep(60);
      expect(drained).toBe(false);
      end();
      await draining;
      await socket.stop();
      expect(await asked).toEqual({ result: report as never });
    },
  );

  test.each([[undefined], [() => {}]])(
    'cuts off what takes longer, and says so without a stack',
    async (onProgress) => {
      const folder = temporaryFolder('cut-off');
      const { administration, begun } = slowImport();
      const socket = await serveAdministration(folder, administration, unlogged);
      const asked = askServer(folder, 'import', wish, onProgress).catch((error) => error);
      await begun;
      await socket.drain(50);
      await socket.stop();
      expect(await asked).toEqual(
        new CommandFailed(
          'the server ended before it had answered; look up whether "import" was done before the command is run again',
        ),
      );
    },
  );

  /** Connects as a command does that has not sent its request as yet. */
  async function connected(folder: string) {
    const socket = createConnection(join(folder, 'admin.sock'));
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const ended = new Promise<string>((done) => {
      socket.on('close', () => done(text)).on('error', ({ message }) => done(message));
    });
    await new Promise<void>((done) => socket.on('connect', done));
    const send = (body: string) =>
      void socket.write(
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    return { send, ended };
  }
  const BODY = '{"operation":"token list","wish":{}}';
  const nothing = {} as unknown as Administration;

  test('answers who had connected before, and sends its request when it drains', async () => {
    const folder = temporaryFolder('connected');
    const socket = await serveAdministration(folder, nothing, unlogged);
    const early = await Promise.all([0, 1, 30, 100].map(() => connected(folder)));
    const drained = socket.drain(10_000).then(() => socket.stop());
    for (const [at, delay] of [0, 1, 30, 100].entries())
      setTimeout(() => early[at]?.send(at === 1 ? BODY.padEnd(30_000_000) : BODY), delay);
    for (const { ended } of early) {
      const answer = await ended;
      expect(answer).toStartWith('HTTP/1.1 503 ');
      expect(answer).toContain('The service is stopping.');
    }
    await drained;
  });

  test('answers who connected while it was busy', async () => {
    const folder = temporaryFolder('busy');
    const socket = await serveAdministration(folder, nothing, unlogged);
    const client = Bun.spawn(
      ['curl', '-s', '--unix-socket', join(folder, 'admin.sock'), '-d', BODY, 'http://x/'],
      { stdout: 'pipe' },
    );
    for (const end = performance.now() + 500; performance.now() < end; );
    await socket.drain(10_000);
    await socket.stop();
    expect(await new Response(client.stdout).text()).toContain('The service is stopping.');
  });

  test('waits for nobody where none is connected, and not long for who is silent', async () => {
    const folder = temporaryFolder('silent');
    const took = async (silent: boolean) => {
      const socket = await serveAdministration(folder, nothing, unlogged);
      expect(
        await askServer(folder, 'token list', { project: undefined }).catch(() => 'asked'),
      ).toBe('asked');
      if (silent) await connected(folder);
      const began = performance.now();
      await socket.drain(10_000);
      await socket.stop();
      return performance.now() - began;
    };
    expect(await took(false)).toBeLessThan(100);
    expect(await took(true)).toBeLessThan(2000);
  });

  test('an answer that is not whole is none, and a list may be asked for again', async () => {
    const folder = temporaryFolder('half');
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('[{"id":');
      setTimeout(() => response.destroy(), 20);
    });
    await new Promise<void>((done) => server.listen(join(folder, 'admin.sock'), done));
    const asked = askServer(folder, 'project list', {}).catch((error) => error);
    expect(await asked).toEqual(
      new CommandFailed('the server ended before it had answered; run the command again'),
    );
    server.close();
  });
});
