// The load generator: a process of its own, so that it takes nothing from the server but processor
// time. It reads a plan from standard input, keeps each connection busy with one request at a time,
// and writes what it measured to standard output.
import { type Connection, openConnection } from './connection.ts';
import { quantile } from './statistics.ts';

/** What to send, JSON. */
export interface LoadPlan {
  port: number;
  connections: number;
  /** How long to measure; or how many requests, whichever ends first. */
  seconds: number;
  most?: number;
  /** How many a second at most; as many as are answered unless given. */
  rate?: number;
  warmupSeconds: number;
  /** Base64 of whole requests, sent in turn. */
  requests: string[];
  /** The status that is no failure. */
  status: number;
}

export interface LoadResult {
  requests: number;
  seconds: number;
  perSecond: number;
  /** Answers with another status, and connections that broke. */
  failures: number;
  firstFailure: string | null;
  bytes: number;
  /** Milliseconds. */
  p50: number;
  p95: number;
  p99: number;
  slowest: number;
}

/** Runs a plan in this process. */
export async function runPlan(plan: LoadPlan): Promise<LoadResult> {
  const requests = plan.requests.map((text) => Buffer.from(text, 'base64'));
  const most = plan.most ?? Number.POSITIVE_INFINITY;
  const times: number[] = [];
  let measuring = plan.warmupSeconds <= 0;
  let sent = 0;
  let failures = 0;
  let firstFailure: string | null = null;
  let bytes = 0;
  let over = false;
  let began = performance.now();
  const lines: Promise<void>[] = [];
  const start = performance.now();

  async function line(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let connection: Connection | undefined;
    let at = 0;
    function next(): void {
      if (over || sent >= most) {
        connection?.close();
        return;
      }
      const early =
        plan.rate === undefined ? 0 : start + (sent * 1000) / plan.rate - performance.now();
      const request = requests[sent++ % requests.length] as Buffer;
      const send = () => {
        at = performance.now();
        connection?.send(request);
      };
      if (early > 0) setTimeout(send, early);
      else send();
    }
    connection = await openConnection({
      hostname: '127.0.0.1',
      port: plan.port,
      dropBodies: true,
      onAnswer(answer) {
        if (answer.status !== plan.status) {
          failures++;
          firstFailure ??= answer.head;
        } else if (measuring) {
          times.push(performance.now() - at);
          bytes += answer.bodyBytes;
        }
        next();
      },
      onClose() {
        if (!over && sent < most) {
          failures++;
          firstFailure ??= 'the connection was closed';
        }
        resolve();
      },
    });
    next();
    return promise;
  }

  for (let index = 0; index < plan.connections; index++) lines.push(line());
  if (!measuring) {
    await Bun.sleep(plan.warmupSeconds * 1000);
    measuring = true;
    began = performance.now();
  }
  const timer = Bun.sleep(plan.seconds * 1000);
  await Promise.race([timer, Promise.all(lines)]);
  const seconds = (performance.now() - began) / 1000;
  over = true;
  const sorted = Float64Array.from(times).sort();
  return {
    requests: sorted.length,
    seconds,
    perSecond: sorted.length / seconds,
    failures,
    firstFailure,
    bytes,
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    slowest: quantile(sorted, 1),
  };
}

/** Runs a plan in a process of its own. @throws when a request failed */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const child = Bun.spawn([process.execPath, import.meta.path], {
    stdin: new Blob([JSON.stringify(plan)]),
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const result = JSON.parse(await new Response(child.stdout).text()) as LoadResult;
  await child.exited;
  if (result.failures > 0) {
    throw new Error(`${result.failures} requests failed, the first one: ${result.firstFailure}`);
  }
  return result;
}

if (import.meta.main) {
  const plan = (await Bun.stdin.json()) as LoadPlan;
  process.stdout.write(JSON.stringify(await runPlan(plan)));
  process.exit(0);
}
