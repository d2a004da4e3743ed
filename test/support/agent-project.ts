// A server of the executable with a project for agents to work on, in a folder with the executable and
// one for agents to work in.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentPlace, openAgentPlace } from './running-agent.ts';
import type { Ended, Served } from './running-executable.ts';

export interface ProjectRun {
  id: string;
  externalId: string | null;
  name: string;
  commandId: string | null;
  status: string;
  late: boolean;
  counts: boolean;
  commit: string | null;
  branch: string | null;
  environment: string | null;
  harnessErrors: { code: string; detail: string }[];
  attachments: { name: string; url: string }[];
  results?: { items: { name: string; status: string; message: string | null }[] };
  agent: { name: string } | null;
  execution?: { consoleTail: string | null; signal: string | null };
}

export interface AgentProject extends Omit<AgentPlace, 'run'> {
  /** Where agents are to go, with the token of one. */
  server: { url: string; token: string };
  /** A file that holds the token. */
  tokenFile: string;
  /** Calls the API as the owner; gives the JSON of the answer, whose status must be a good one. */
  call<T>(method: string, path: string, body?: object): Promise<T>;
  /** Makes a test command, of the kind `shell` unless told; gives its id. */
  command(key: string, fields: object): Promise<string>;
  /** Plans these commands in this order; gives the id of the plan. */
  plan(commandIds: string[]): Promise<string>;
  /** Runs a command of the executable to its end, in the folder of the server. */
  cli(args: string[], input?: string, environment?: Record<string, string>): Promise<Ended>;
  /** All runs with a report, the newest first. */
  runs(): Promise<ProjectRun[]>;
  /** The newest run of this name, with its results. */
  run(name: string): Promise<ProjectRun>;
  /** The text of an attachment. */
  text(run: ProjectRun, name: string): Promise<string>;
  /** Kills the server (SIGKILL); `restart` starts it again where it was. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** Starts a server in an empty folder, with a token for agents. */
export async function openAgentProject(name: string): Promise<AgentProject> {
  const place = await openAgentPlace(name);
  let served: Served | undefined = await place.serve();
  const url = served.address;
  const owner = readFileSync(join(place.folder, 'pqrs-data/owner.token'), 'utf8').trim();
  const made = await place.run(['token', 'create', '--capability', 'agent:execute', '--json']);
  const { token } = JSON.parse(made.out) as { token: string };
  const tokenFile = join(place.folder, 'agent.token');
  writeFileSync(tokenFile, `${token}\n`);

  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }

  const runs = async () =>
    (await call<{ items: ProjectRun[] }>('GET', '/test-runs?limit=200')).items;

  return {
    ...place,
    ...{ server: { url, token }, tokenFile, call, runs },
    cli: (args, input = '', environment = {}) => place.run(args, environment, input),
    async command(key, fields) {
      const body = { key, kind: 'shell', ...fields };
      return (await call<{ id: string }>('POST', '/test-commands', body)).id;
    },
    async plan(commandIds) {
      const items = commandIds.map((commandId) => ({ commandId }));
      return (await call<{ id: string }>('POST', '/agent/plan', { plan: { items } })).id;
    },
    async run(wanted) {
      const found = (await runs()).find((one) => one.name === wanted);
      if (found === undefined) throw new Error(`there is no run ${wanted}`);
      return call<ProjectRun>('GET', `/test-runs?id=${found.id}`);
    },
    async text({ attachments }, file) {
      const found = attachments.find((one) => one.name === file);
      if (found === undefined) throw new Error(`there is no attachment ${file}`);
      return (await fetch(new URL(found.url, url))).text();
    },
    async kill() {
      await served?.stop('SIGKILL');
      served = undefined;
    },
    async restart() {
      served = await place.serve(['--port', new URL(url).port]);
    },
  };
}
