// A minute of everything at once: no error, and no memory that grows.
import { type Bench, mebibytes, short, whole } from './bench.ts';
import type { MixedPlan, MixedResult } from './mixed-load.ts';
import { followMemory } from './process-figures.ts';
import { makeToken, type RunningPqrs, startPqrs } from './running.ts';
import { slope } from './statistics.ts';

const CONNECTIONS = 64;
const MINUTE = 60;
/** What memory may grow by in the second half, beside what it is, and still be called flat. */
const FLAT = 0.1;

/** Settings under which the rates of widgets hold nobody up. */
export const UNLIMITED = {
  PQRS_WIDGET_PER_MINUTE: '100000000',
  PQRS_WIDGET_BURST: '100000000',
  PQRS_WIDGET_TOKEN_PER_MINUTE: '100000000',
  PQRS_WIDGET_TOKEN_BYTES_PER_DAY: '1000000000000000',
};

export interface MixedMeasurement {
  result: MixedResult;
  /** Resident memory: bytes with seconds since the start. */
  memory: [seconds: number, bytes: number][];
}

export const mixed: Bench = async ({ pqrs, say }) => {
  const seconds = Number(process.env.BENCH_MIXED_SECONDS ?? MINUTE);
  const server = await startPqrs(pqrs, UNLIMITED);
  const { result, memory } = await measureMixed(pqrs, server, seconds);
  await server.stop();
  const { growth, mean, perMinute } = growthOf(memory);
  for (const [at, bytes] of memory.filter((_, index) => index % 10 === 0)) {
    say(`${whole(at)} s: ${mebibytes(bytes)}`);
  }
  for (const complaint of result.complaints) say(complaint);
  const bad = Object.entries(result.bad).map(([status, count]) => `${count} times ${status}`);
  const errors = result.complaints.length + result.lost;
  return [
    {
      work: `mixed load, ${CONNECTIONS} connections, ${seconds} s`,
      measured: `${whole(result.actions / seconds)} actions/s, ${errors === 0 ? 'no error' : `${errors} errors ${bad.join(', ')}`}`,
      limit: 'no error, no 5xx',
      ok: errors === 0,
    },
    {
      work: 'its memory over the second half',
      measured: `${short(perMinute / 2 ** 20)} MiB a minute at ${mebibytes(mean)} (${mebibytes(growth)} in all)`,
      limit: `grows by less than ${FLAT * 100} %`,
      ok: growth < mean * FLAT,
    },
  ];
};

/** Loads a server from a process of its own and follows its memory. */
export async function measureMixed(
  pqrs: string,
  server: RunningPqrs,
  seconds: number,
): Promise<MixedMeasurement> {
  const plan: MixedPlan = {
    port: server.port,
    tokens: {
      owner: server.token,
      widget: makeToken(pqrs, server.dataDir, 'widget:write'),
      agent: makeToken(pqrs, server.dataDir, 'agent:execute'),
    },
    connections: CONNECTIONS,
    seconds,
    fileBytes: 200 * 1024,
  };
  const memory = followMemory(server.pid, 1000);
  const child = Bun.spawn(
    [process.execPath, new URL('./mixed-load.ts', import.meta.url).pathname],
    {
      stdin: new Blob([JSON.stringify(plan)]),
      stdout: 'pipe',
      stderr: 'inherit',
    },
  );
  const result = JSON.parse(await new Response(child.stdout).text()) as MixedResult;
  memory.stop();
  return { result, memory: memory.points };
}

/** How memory grew over the second half: by the line through it, in all and per minute. */
export function growthOf(memory: readonly (readonly [number, number])[]): {
  growth: number;
  perMinute: number;
  mean: number;
} {
  const half = memory.slice(Math.floor(memory.length / 2));
  const perSecond = slope(half);
  const span = (half.at(-1)?.[0] ?? 0) - (half[0]?.[0] ?? 0);
  const mean = half.reduce((sum, [, bytes]) => sum + bytes, 0) / half.length;
  return { growth: perSecond * span, perMinute: perSecond * 60, mean };
}
