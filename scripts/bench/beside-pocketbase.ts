// What a lab does most, beside PocketBase on the same machine: creates, reads of one at random, a filter and
// a search. For comparison alone: it keeps other promises. `npm run bench -- --beside pocketbase`, where
// `pocketbase` is on the path.
import { join } from 'node:path';
import { type Bench, type Row, short, whole } from './bench.ts';
import { runLoad } from './load.ts';
import { requestBytes } from './requests.ts';
import { startPqrs, temporaryFolder } from './running.ts';
import { settle } from './search.ts';
import { issueBody, RARE_WORD } from './seed.ts';
import { median } from './statistics.ts';

const ISSUES = 20_000;
const IDS = 5000;
const ROUNDS = 3;
const RECORDS = '/api/collections/issues/records';
const ADMIN = { identity: 'bench@example.com', password: 'bench-1234567890' };

interface Side {
  port: number;
  token: string;
  list: string;
  created: number;
  one(id: string): string;
  filter: string;
  search: string;
  stop(): Promise<unknown>;
}

export const besidePocketbase: Bench = async ({ pqrs, say }) => {
  const program = Bun.which('pocketbase');
  if (program === null) {
    say('pocketbase is not on the path: skipped');
    return [];
  }
  const server = await startPqrs(pqrs);
  const ours: Side = {
    ...server,
    ...{ list: '/api/issues', created: 201, one: (id) => `/api/issues?id=${id}` },
    ...{ filter: '/api/issues?build=2026.3.0', search: `/api/issues?q=${RARE_WORD}` },
  };
  const theirs = await startPocketbase(program);
  const rates: Record<string, [number, number]> = {};
  rates.creates = [await create(ours), await create(theirs)];
  await settle(server);
  const paths = async (side: Side) => (await idsOf(side)).map(side.one);
  const asked = {
    'reads of one at random': [await paths(ours), await paths(theirs)],
    'pages of 50 of one build': [[ours.filter], [theirs.filter]],
    'searches of a rare word': [[ours.search], [theirs.search]],
  } as const;
  for (const [name, [a, b]] of Object.entries(asked)) {
    const rounds: [number, number][] = [];
    for (let round = 0; round < ROUNDS; round++)
      rounds.push([await rateOf(ours, a), await rateOf(theirs, b)]);
    rates[name] = [median(rounds.map(([own]) => own)), median(rounds.map(([, other]) => other))];
    say(`${name}: ${whole(rates[name][0])}/s, PocketBase ${whole(rates[name][1])}/s`);
  }
  await Promise.all([ours.stop(), theirs.stop()]);
  return Object.entries(rates).map(
    ([name, [own, other]]): Row => ({
      work: `${name} among ${whole(ISSUES)} issues, 32 connections, beside PocketBase`,
      measured: `${short(own / other)} times: ${whole(own)}/s against ${whole(other)}/s`,
      limit: '',
      ok: undefined,
    }),
  );
};

async function create({ port, token, list: path, created: status }: Side): Promise<number> {
  const requests = Array.from({ length: ISSUES }, (_, at) => {
    const json = issueBody(at, at % 1000 === 7 ? RARE_WORD : undefined);
    return requestBytes({ method: 'POST', path, token, json }).toString('base64');
  });
  const plan = { port, connections: 32, seconds: 3600, most: ISSUES, warmupSeconds: 0 };
  return (await runLoad({ ...plan, status, requests })).perSecond;
}

async function rateOf({ port, token }: Side, paths: readonly string[]): Promise<number> {
  const requests = paths.map((path) =>
    requestBytes({ method: 'GET', path, token }).toString('base64'),
  );
  const plan = { port, connections: 32, seconds: 3, warmupSeconds: 0, status: 200 };
  return (await runLoad({ ...plan, requests })).perSecond;
}

/** Some, in no order, a page at a time. */
async function idsOf(side: Side): Promise<string[]> {
  const ids: string[] = [];
  let next = '';
  for (let page = 1; ids.length < IDS; page++) {
    const isOurs = side.list !== RECORDS;
    const search = isOurs ? `limit=200${next}` : `perPage=200&page=${page}`;
    const answer = await askJson<{ items: { id: string }[]; nextCursor?: string }>(
      side,
      `${side.list}?${search}`,
    );
    ids.push(...answer.items.map(({ id }) => id));
    next = `&cursor=${answer.nextCursor}`;
  }
  return ids.sort(() => Math.random() - 0.5);
}

async function askJson<T>(
  { port, token }: Pick<Side, 'port' | 'token'>,
  path: string,
  json?: unknown,
): Promise<T> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const sent = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers, ...sent });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as T;
}

async function startPocketbase(program: string): Promise<Side> {
  const folder = join(temporaryFolder(), 'pb');
  const free = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = free;
  free.stop();
  const options = { stdout: 'ignore', stderr: 'inherit' } as const;
  const admin = ['superuser', 'upsert', ADMIN.identity, ADMIN.password];
  Bun.spawnSync([program, ...admin, '--dir', folder], options);
  const serve = ['serve', '--http', `127.0.0.1:${port}`];
  const child = Bun.spawn([program, ...serve, '--dir', folder], options);
  process.on('exit', () => child.kill());
  const side = { port, token: '' };
  while (
    !(await askJson(side, '/api/health').then(
      () => true,
      () => false,
    ))
  )
    await Bun.sleep(50);
  const login = '/api/collections/_superusers/auth-with-password';
  const { token } = await askJson<{ token: string }>(side, login, ADMIN);
  const texts = ['title', 'description', 'severity', 'build', 'environment', 'url'];
  const fields = [
    ...texts.map((name) => ({ name, type: 'text' })),
    { name: 'labels', type: 'json' },
    { name: 'created', type: 'autodate', onCreate: true },
  ];
  const json = {
    name: 'issues',
    type: 'base',
    fields,
    indexes: ['create index b on issues (build)'],
  };
  await askJson({ port, token }, '/api/collections', json);
  const find = (filter: string) =>
    `${RECORDS}?perPage=50&skipTotal=true&sort=-@rowid&filter=${encodeURIComponent(filter)}`;
  return {
    ...{ port, token, list: RECORDS, created: 200, one: (id) => `${RECORDS}/${id}` },
    filter: find("build='2026.3.0'"),
    search: find(`title~'${RARE_WORD}'||description~'${RARE_WORD}'`),
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}
