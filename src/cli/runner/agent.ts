// `pqrs agent`: reads its options, claims suites and works them until there is nothing to claim, or it is
// asked to end.
import { realpath, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { type PlanInputBody, STRATEGIES } from '../../agents/plan/model.ts';
import type { PlanProgress } from '../../agents/runs/model.ts';
import type { SuiteItemView } from '../../agents/suites/model.ts';
import { VERSION } from '../../version.ts';
import {
  type CommandCall,
  CommandFailed,
  listenForStop,
  print,
  printJson,
  UsageError,
  wholeNumber,
} from '../command.ts';
import { type Api, connect, dataOf, pause, readConnection } from './api.ts';
import { openAgentFolder, startedWith, type WorkFolder } from './folder.ts';
import { Stopped, type Worker, workSuite } from './items.ts';
import { type ItemEnd, printItem, warn } from './submission.ts';

/** Few, so that other agents find work too: an agent does one after the other. */
const DEFAULT_ITEMS = 10;
/** Short, so that what an agent had that was killed is soon up for claim. */
const DEFAULT_LEASE_MS = 120_000;
/** What it runs: what a person does or a client of its own asks is left to others. */
const KINDS = ['shell', 'bun-test', 'playwright'] as const;

/** @throws UsageError; CommandFailed where not all passed, or the server refuses or is away */
export async function runAgent(call: CommandCall): Promise<void> {
  const connection = await readConnection(call, process.env);
  const settings = readSettings(call);
  const graceMs = wholeNumber(call, 'grace-ms', 30_000);
  const work = await workFolderOf(call);
  const folder = await openAgentFolder(work.path);
  const [softly, hardly] = [new AbortController(), new AbortController()];
  const [soft, hard] = [softly.signal, hardly.signal];
  const giveUp = () => hardly.abort(new Stopped('the agent had to end'));
  let grace: ReturnType<typeof setTimeout> | undefined;
  const endListening = listenForStop(() => {
    softly.abort(new Stopped('the agent was asked to end'));
    grace = setTimeout(giveUp, graceMs);
    warn('asked to end: no item is begun any more');
  }, giveUp);
  const items: (Pick<SuiteItemView, 'runId' | 'attempt' | 'commandId' | 'name'> & ItemEnd)[] = [];
  let why: string | undefined;
  try {
    why = await workUntilDone({
      ...settings,
      token: connection.token,
      api: (until, signal = hard, timeoutMs) => {
        const onWait = (ms: number, reason: string) => warn(`${reason}; again in ${ms} ms`);
        return connect(connection, { until, signal, timeoutMs, onWait });
      },
      folder,
      work,
      soft,
      hard,
      onEnd(item, end) {
        const { runId, attempt, commandId, name } = item;
        items.push({ runId, attempt, commandId, name, ...end });
        if (!call.json) printItem(item, end);
      },
    });
  } finally {
    clearTimeout(grace);
    endListening();
    await folder.close();
    if (call.json) printJson({ items });
  }
  const endings = Map.groupBy(items, ({ ending }) => ending);
  const counts = [...endings].map(([ending, some]) => `${some.length} ${ending}`);
  if (!call.json && (items.length > 0 || !soft.aborted))
    print(counts.join(', ') || 'nothing to run');
  if (hard.aborted) throw new CommandFailed('the agent had to end before its item had');
  const bad = items.length - (endings.get('passed')?.length ?? 0);
  if (bad > 0) throw new CommandFailed(`${bad} of ${items.length} items did not pass`);
  if (why !== undefined) throw new CommandFailed(why);
}

function readSettings(call: CommandCall) {
  const kinds = call.text('kinds')?.split(',') ?? KINDS;
  return {
    selection: readSelection(call),
    agent: { name: call.text('name') ?? hostname().slice(0, 300), version: VERSION },
    kinds: kinds.map((kind) => oneOf('kinds', KINDS, kind)),
    environment: call.text('environment') ?? null,
    maxItems: wholeNumber(call, 'max-items', DEFAULT_ITEMS, { min: 1, max: 1000 }),
    leaseMs: wholeNumber(call, 'lease-ms', DEFAULT_LEASE_MS, { min: 1000, max: 3_600_000 }),
    killGraceMs: wholeNumber(call, 'kill-grace-ms', 5000),
    retryMs: wholeNumber(call, 'retry-ms', 120_000),
    once: call.switched('once'),
  };
}

/** What to work on: one of three options, and a plan by `risk` where there is none. */
export function readSelection(call: Pick<CommandCall, 'text'>): Selection {
  const given = ['plan', 'commands', 'strategy'].filter((name) => call.text(name) !== undefined);
  if (given.length > 1) throw new UsageError(`--${given.join(' and --')} exclude each other`);
  const planId = call.text('plan');
  if (planId !== undefined) return { planId };
  const commands = call.text('commands');
  if (commands === undefined)
    return { strategy: oneOf('strategy', STRATEGIES, call.text('strategy') ?? 'risk') };
  return { commandIds: [...new Set(commands.split(',').map((name) => name.trim()))] };
}

function oneOf<T extends string>(option: string, choices: readonly T[], value: string): T {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw new UsageError(`--${option} takes ${choices.join(', ')}, not "${value}"`);
}

async function workFolderOf(call: CommandCall): Promise<WorkFolder> {
  const given = call.text('work-dir') ?? '.';
  const path = await realpath(given).catch(() => undefined);
  if (path === undefined || !(await stat(path)).isDirectory())
    throw new UsageError(`there is no folder ${given}`);
  const protectedFiles = await startedWith(call, process.env);
  return { path, allowOutside: call.switched('allow-outside'), protectedFiles };
}

type Selection =
  | { planId: string }
  | { commandIds: string[] }
  | { strategy: NonNullable<PlanInputBody['strategy']> };

type Agent = Worker & ReturnType<typeof readSettings>;

const STOPPED = 'not all items were run: the agent was asked to end';
const MIN_WAIT_MS = 200;
const MAX_WAIT_MS = 60_000;

async function workUntilDone(agent: Agent): Promise<string | undefined> {
  const { soft, once } = agent;
  let next = await firstSource(agent);
  let isWaiting = false;
  while (next !== undefined && !soft.aborted) {
    const claimedAt = Date.now();
    const claimed = await claim(next, agent);
    if ('lease' in claimed) {
      isWaiting = false;
      const { id, planId, items } = claimed;
      warn(`suite ${id}: ${itemCount(items.length)}`);
      if (!(await workSuite(claimed, claimedAt, agent))) return STOPPED;
      if (once) return undefined;
      next = planId === null ? undefined : { planId };
      continue;
    }
    next = { planId: claimed.planId };
    if (claimed.done) break;
    if (once) return undefined;
    if (!isWaiting) warn('other agents have what is left: waiting for it');
    isWaiting = true;
    const ms = Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, claimed.retryAfterMs));
    await pause(ms, soft).catch(() => {});
  }
  if (next === undefined) return undefined;
  return 'planId' in next ? whyNotDone(next.planId, agent) : STOPPED;
}

type Source = Exclude<Selection, { strategy: unknown }>;

async function firstSource(agent: Agent): Promise<Source | undefined> {
  const { selection } = agent;
  if (!('strategy' in selection)) return selection;
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const { id, items } = await dataOf(
    awhile(agent).agent.plan.post({ strategy: selection.strategy }, { headers }),
    'no plan',
  );
  if (id !== null && items.length > 0) return { planId: id };
  warn('the project has no test commands to plan: POST /api/test-commands');
  return undefined;
}

function claim(source: Source, agent: Agent) {
  const { maxItems, leaseMs, kinds } = agent;
  const body = { ...source, agent: { ...agent.agent, kinds }, maxItems, leaseMs };
  const headers = { 'idempotency-key': crypto.randomUUID() };
  return dataOf(awhile(agent).agent.suite.post(body, { headers }), 'no suite');
}

/** Why the plan is not done and passed, now that no more is claimed of it; undefined where it is. */
async function whyNotDone(planId: string, agent: Agent): Promise<string | undefined> {
  const isAsked = agent.soft.aborted;
  const until = isAsked ? 0 : Date.now() + agent.retryMs;
  const query = { view: 'plans' as const, id: planId };
  const plan: unknown = await dataOf(agent.api(() => until)['run-state'].get({ query }));
  const { total, open, claimed, failed, broken, cancelled } = (plan as PlanProgress).items;
  const left = open + claimed;
  if (left > 0 && isAsked) return STOPPED;
  if (left > 0) {
    const text = `left to agents of other kinds: ${itemCount(left)}`;
    // Who names a command wants it run.
    if ('commandIds' in agent.selection) return text;
    warn(text);
  }
  const count = failed + broken + cancelled;
  if (count === 0) return undefined;
  return `${count} of the plan's ${total} items did not pass: ${failed} failed, ${broken} broken, ${cancelled} cancelled`;
}

const itemCount = (items: number) => `${items} ${items === 1 ? 'item' : 'items'}`;

function awhile({ api, retryMs, soft }: Agent): Api {
  const until = Date.now() + retryMs;
  return api(() => until, soft);
}
