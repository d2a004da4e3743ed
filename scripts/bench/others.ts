// What others wait for while the service does something long: reads of one issue over a connection
// of their own, idle and meanwhile.
import { type Row, short } from './bench.ts';
import { type Client, openClient } from './client.ts';
import { runLoad } from './load.ts';
import { requestBytes } from './requests.ts';
import { type RunningPqrs, startPqrs } from './running.ts';
import { issueBody } from './seed.ts';

const IDLE_SECONDS = 4;
const AT_MOST = 3;

export interface LongWork {
  /** What it is called, in the plural. */
  name: string;
  /** For how long it is done again and again. */
  seconds: number;
  /** Does it once; it is done a first time before anything is measured. */
  once(client: Client, server: RunningPqrs): Promise<unknown>;
}

/** Measures the 99th percentile of others during some long work against that without. */
export async function othersRow(
  pqrs: string,
  { name, seconds, once }: LongWork,
  say: (text: string) => void,
): Promise<Row> {
  const server = await startPqrs(pqrs);
  const client = await openClient(server.port);
  const { port, token } = server;
  const asked = { method: 'POST', path: '/api/issues', token, json: issueBody(1) };
  const { id } = await client.askJson<{ id: string }>(asked, 201);
  const request = requestBytes({ method: 'GET', path: `/api/issues?id=${id}`, token });
  const plan = { port, connections: 1, status: 200, requests: [request.toString('base64')] };
  await once(client, server);
  const idle = await runLoad({ ...plan, seconds: IDLE_SECONDS, warmupSeconds: 1 });
  let over = false;
  let count = 0;
  const load = runLoad({ ...plan, seconds, warmupSeconds: 0.5 }).finally(() => {
    over = true;
  });
  while (!over) {
    await once(client, server);
    count += 1;
  }
  const loaded = await load;
  client.close();
  await server.stop();
  say(
    `GET /issues?id= idle p50 ${short(idle.p50)} p99 ${short(idle.p99)} ms; during ${count} ${name} p50 ${short(loaded.p50)} p99 ${short(loaded.p99)} slowest ${short(loaded.slowest)} ms`,
  );
  const ratio = loaded.p99 / idle.p99;
  return {
    work: `GET /issues?id= during such ${name}, p99 against that without`,
    measured: `${short(ratio)} times: ${short(loaded.p99)} ms against ${short(idle.p99)} ms (slowest ${short(loaded.slowest)} ms)`,
    limit: `at most ${AT_MOST} times`,
    ok: ratio <= AT_MOST,
  };
}
