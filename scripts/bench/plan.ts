// The planner: how early its order finds failures on real runs, beside random, best and single
// heuristics; and the time of a plan over many commands, stories and results against one pass over
// the same rows in SQL.
import { type PastRun, replay } from '../../src/agents/plan/replay.ts';
import { DEFAULT_SETTINGS, type PlanSettings } from '../../src/agents/plan/score.ts';
import { sharedData } from '../../test/support/shared-data.ts';
import { type Bench, type Row, short, whole } from './bench.ts';
import { openClient } from './client.ts';
import { readIofrol } from './iofrol.ts';
import { COMMANDS, passInSql, RESULTS, STORIES, seedRuns, storySource } from './plan-rows.ts';
import { type RunningPqrs, startPqrs } from './running.ts';
import { median } from './statistics.ts';

const APFD_AT_LEAST = 0.655;
const APFDC_AT_LEAST = 0.665;
const BELOW_AT_MOST = 0.02;
const ROUNDS = 9;
const AT_MOST = 3;

export const plan: Bench = async ({ pqrs, say }) => [
  ...replayRows(say),
  ...(await timeRows(pqrs, say)),
];

const BY_TIME = 'its failures, faded, by its time';
/** Rules that look at one thing alone, as settings of the same functions. */
const SINGLE: Record<string, Partial<PlanSettings>> = {
  'how often it failed': { fade: 1, latest: 0, prior: 1, costPower: 0 },
  'its failures, halved with every run': { fade: 0.5, latest: 0, prior: 1, costPower: 0 },
  'whether it failed last': { fade: 0, latest: 1, prior: 1, costPower: 0 },
  [BY_TIME]: { fade: 0.8, latest: 0, prior: 1, costPower: 1 },
  'its time': { fade: 0, latest: 0, prior: 1, priorRuns: 1e9, costPower: 1 },
};

function replayRows(say: (text: string) => void): Row[] {
  const path = sharedData('plan', 'iofrol.csv');
  if (path === undefined) return [];
  const runs = readIofrol(path);
  const seen: { apfd: number; apfdc: number }[] = [];
  const past = { commands: [], stories: [], runs };
  const { raw } = replay(past, { onCycle: (_, figures) => void seen.push(figures) });
  const line = (what: string, apfd: number | null, apfdc: number | null) =>
    say(`${what.padEnd(36)} APFD ${(apfd ?? 0).toFixed(4)}  APFDc ${(apfdc ?? 0).toFixed(4)}`);
  line('random', raw.apfd.random, raw.apfdc.random);
  for (const [what, settings] of Object.entries(SINGLE)) {
    const single = replay(past, { settings: alone(settings) }).raw;
    line(what, single.apfd.planned, single.apfdc.planned);
  }
  for (const [what, rest] of [
    ['the planner, even cycles', 0],
    ['the planner, odd cycles', 1],
  ] as const) {
    const half = seen.filter((_, at) => at % 2 === rest);
    const mean = (of: 'apfd' | 'apfdc') =>
      half.reduce((sum, figures) => sum + figures[of], 0) / half.length;
    line(what, mean('apfd'), mean('apfdc'));
  }
  line('the planner', raw.apfd.planned, raw.apfdc.planned);
  line('best', raw.apfd.optimal, raw.apfdc.optimal);
  const [apfd, apfdc] = [raw.apfd.planned ?? 0, raw.apfdc.planned ?? 0];
  return [
    {
      work: `plans of the robot tests IOF/ROL: mean APFD over ${raw.cycles} cycles, random 0.5`,
      measured: apfd.toFixed(4),
      limit: `at least ${APFD_AT_LEAST}`,
      ok: apfd >= APFD_AT_LEAST,
    },
    {
      work: 'the same by what tests cost: mean APFDc, random 0.5',
      measured: apfdc.toFixed(4),
      limit: `at least ${APFDC_AT_LEAST}`,
      ok: apfdc >= APFDC_AT_LEAST,
    },
    cutsRow(runs, say),
  ];
}

function alone(settings: Partial<PlanSettings>): PlanSettings {
  const weights = { ...DEFAULT_SETTINGS.weights, full: { fresh: 0, risk: 0, gap: 0 } };
  return { ...DEFAULT_SETTINGS, sliceEvery: Number.POSITIVE_INFINITY, ...settings, weights };
}

/** The planner beside failures by duration on other pasts, made of the same runs. */
function cutsRow(runs: readonly PastRun[], say: (text: string) => void): Row {
  const cycles = [...Map.groupBy(runs, ({ cycle }) => cycle).values()];
  const tests = [...new Set(runs.map(({ commandId }) => commandId))];
  const fifth = new Set(tests.filter((_, at) => at % 5 === 0));
  const cuts = {
    'cycles reversed': cycles.toReversed().flat(),
    'the first 10 cycles': cycles.slice(0, 10).flat(),
    'every fifth test': runs.filter(({ commandId }) => fifth.has(commandId)),
  };
  const below = Object.entries(cuts).map(([what, cut]) => {
    const past = { commands: [], stories: [], runs: cut };
    const settings = alone(SINGLE[BY_TIME] ?? {});
    const byTime = replay(past, { settings }).raw.apfdc.planned ?? 0;
    const planned = replay(past).raw.apfdc.planned ?? 0;
    say(
      `${what.padEnd(36)} APFDc ${planned.toFixed(4)}, failures by duration ${byTime.toFixed(4)}`,
    );
    return byTime - planned;
  });
  const mean = below.reduce((sum, one) => sum + one, 0) / below.length;
  return {
    work: `the same of three cuts (${Object.keys(cuts).join(', ')}): mean APFDc below failures by duration`,
    measured: mean.toFixed(4),
    limit: `at most ${BELOW_AT_MOST}`,
    ok: mean <= BELOW_AT_MOST,
  };
}

async function timeRows(executable: string, say: (text: string) => void): Promise<Row[]> {
  const dataDir = await seeded(executable, say);
  const pass = passInSql(dataDir);
  const server = await startPqrs(executable, {}, dataDir);
  const times: { sql: number; own: number }[] = [];
  const waits: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const sql = pass.run();
    const { own, items } = await askForPlan(server);
    // Apart from the others: what these cost is no part of the plan.
    const waited = await longestWait(server);
    say(
      `plan of ${whole(items)} items: ${short(own)} ms, SQL ${short(sql)} ms, others ${short(waited)} ms`,
    );
    if (round === 0) continue;
    times.push({ sql, own });
    waits.push(waited);
  }
  pass.close();
  await server.stop();
  const ratio = median(times.map(({ sql, own }) => own / sql));
  const own = median(times.map((time) => time.own));
  const sql = median(times.map((time) => time.sql));
  return [
    {
      work: `POST /agent/plan, ${whole(COMMANDS)} commands, ${whole(STORIES)} stories, ${whole(RESULTS)} results, against one pass over the rows in SQL`,
      measured: `${short(ratio)} times: median ${short(own)} ms against ${short(sql)} ms; others waited ${short(median(waits))} ms at most, in the median`,
      limit: `within ${AT_MOST} times`,
      ok: ratio <= AT_MOST,
    },
  ];
}

/** A data folder with the stories, imported, and all the rest as rows; its server has ended. */
async function seeded(executable: string, say: (text: string) => void): Promise<string> {
  const server = await startPqrs(executable);
  const { port, token, dataDir } = server;
  const client = await openClient(port);
  const json = { slug: 'default', sources: [{ path: 'all.md', content: storySource() }] };
  await client.askJson({ method: 'POST', path: '/api/projects', token, json });
  const graph = await client.askJson<Parameters<typeof seedRuns>[1]>({
    ...{ method: 'GET', path: '/api/srs-graph', token },
  });
  client.close();
  await server.stop();
  const began = performance.now();
  seedRuns(dataDir, graph);
  say(`${whole(RESULTS)} results written in ${short((performance.now() - began) / 1000)} s`);
  return dataDir;
}

async function askForPlan({ port, token }: RunningPqrs) {
  const client = await openClient(port);
  const began = performance.now();
  const answer = await client.ask({ method: 'POST', path: '/api/agent/plan', token, json: {} });
  const own = performance.now() - began;
  client.close();
  if (answer.status !== 201) throw new Error(`${answer.head}\n${answer.body}`);
  const { items } = JSON.parse(answer.body.toString()) as { items: unknown[] };
  return { own, items: items.length };
}

/** Asks for other things while a plan is made: how long one of them waited at most. */
async function longestWait(server: RunningPqrs): Promise<number> {
  const { port, token } = server;
  const client = await openClient(port);
  let waited = 0;
  let done = false;
  const plan = askForPlan(server).finally(() => {
    done = true;
  });
  while (!done) {
    const began = performance.now();
    await client.askJson({ method: 'GET', path: '/api/health', token });
    waited = Math.max(waited, performance.now() - began);
    await Bun.sleep(1);
  }
  await plan;
  client.close();
  return waited;
}
