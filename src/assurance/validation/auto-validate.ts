// What follows from a run for the verdicts on its stories, where a project lets passing tests
// validate.
import { setImmediate } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { serialized } from '../../model/write-conflict.ts';
import { BATCH_SPAN } from '../../quality/runs/model.ts';
import { yieldToEventLoop } from '../../runtime/scheduler.ts';
import type { Db } from '../../store/database.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import type { TestRunRow } from '../../store/tables/quality.ts';
import type { Assurance } from '../assurance.ts';
import type { StoryCoverage, StoryTrace } from '../coverage/model.ts';
import { isCurrent, isFailure, isOfTarget, standingOfTarget } from '../coverage/story-links.ts';
import { type FindJudged, readJudgedResults } from '../results/judged-results.ts';
import type { TargetResult } from '../results/model.ts';
import { findChanged, targetKey, testFingerprints } from '../results/target-results.ts';
import { type AssuranceState, chunksOf } from '../state/state.ts';
import { newestVerdict, requireCurrent, requireVerdicts } from '../state/write-on-state.ts';
import {
  coveringTests,
  insertVerdicts,
  matchesCurrent,
  type NewValidation,
  storyOf,
  verdictRow,
} from './verdicts.ts';

export type ValidatingRun = Pick<TestRunRow, 'id' | 'batch' | 'branch' | 'counts' | 'commandId'>;

const [WRITE_BATCH, STORY_BATCH, MAX_NAMED_RUNS, RESULT_BATCH] = [250, 200, 100, 2000];

/**
 * Judges the stories that a run bears on, where the settings of its project say so. To be called when
 * the run is settled; called again, it says nothing twice.
 */
export async function autoValidate(
  assurance: Assurance,
  projectId: string,
  run: ValidatingRun,
): Promise<void> {
  const { database, effective, states } = assurance;
  const { autoValidate: isWanted, judgedBranches } = (await effective.of(projectId)).settings;
  const isJudged = judgedBranches === null || judgedBranches.includes(run.branch ?? '');
  if (!isWanted || !run.counts || !isJudged) return;
  // Judging takes its time, and nobody is to wait for it who need not.
  await serialized((wait) => effective.alone(projectId, wait), attempt);

  async function attempt(): Promise<void> {
    const state = await states.of(projectId);
    await state.coverage().ready();
    const reached = await storiesOf(assurance, state, run);
    const rows = await verdictsAfter(assurance, state, reached);
    let newest = state.verdictClock;
    for (const some of chunksOf(rows, WRITE_BATCH)) {
      newest = await database.write(async (db) => {
        await requireCurrent(db, state.effective);
        await requireVerdicts(db, projectId, newest);
        await insertVerdicts(db, some);
        return newestVerdict(db, projectId);
      });
    }
  }
}

async function storiesOf(
  { states, database: { read } }: Assurance,
  { effective, tests, commands }: AssuranceState,
  { batch, commandId }: ValidatingRun,
): Promise<ReadonlySet<string>> {
  const linked = await states.linked(effective.projectId);
  const ids = new Set<string>();
  for await (const key of testKeys(read, batch)) {
    for (const id of tests.tests.get(key)?.storyIds ?? []) ids.add(id);
    for (const id of linked.ofTest.get(key) ?? []) ids.add(id);
  }
  for (const id of commands.find(commandId ?? '')?.storyIds ?? []) ids.add(id);
  for (const id of linked.ofCommand.get(commandId ?? '') ?? []) ids.add(id);
  return ids;
}

async function* testKeys(db: Db, batch: number): AsyncGenerator<string> {
  for (let from = batch * BATCH_SPAN; ; from += RESULT_BATCH) {
    const rows = await db.values<[string]>(sql`
      select t.test_key from test_results r join tests t on t.seq = r.test_seq
      where r.seq >= ${from} and r.seq < ${from + RESULT_BATCH}`);
    for (const [key] of rows) yield key;
    if (rows.length < RESULT_BATCH) return;
    await setImmediate();
  }
}

async function verdictsAfter(
  assurance: Assurance,
  state: AssuranceState,
  reached: ReadonlySet<string>,
): Promise<NewValidation[]> {
  const { database } = assurance;
  const now = assurance.clock();
  const coverage = state.coverage();
  const stories = [...reached].flatMap((id) => coverage.of(id) ?? []);
  const targets = new Map(
    stories.flatMap(({ traces }) => traces.map(({ target }) => [targetKey(target), target])),
  );
  const { judgedBranches } = state.effective.settings;
  const find = await readJudgedResults(database.read, state, targets.values(), judgedBranches);
  // What a person refused under another name is to be carried, or judged anew, by a person.
  const { effective, validationsOf } = state;
  const refused = [...validationsOf].flatMap(([id, own]) => {
    const last = own.at(-1);
    const isRefused = last?.byKind === 'person' && last.verdict !== 'passed';
    return isRefused && !storyOf(effective, id) ? last.fingerprint : [];
  });
  const isRefused = (id: string) =>
    !validationsOf.has(id) && refused.some((print) => effective.under(id, print) === print);
  const verdicts: NewValidation[] = [];
  for (const [at, story] of stories.entries()) {
    if (at > 0 && at % STORY_BATCH === 0) await yieldToEventLoop();
    const verdict = isRefused(story.storyId) ? undefined : verdictOn(state, story, find, now);
    if (verdict) verdicts.push(verdict);
  }
  return verdicts;
}

function verdictOn(
  state: AssuranceState,
  story: StoryCoverage,
  find: FindJudged,
  at: number,
): NewValidation | undefined {
  const { storyId } = story;
  const node = storyOf(state.effective, storyId);
  if (!node) return undefined;
  const targets = coveringTargets(state, story, find);
  const before = state.validationsOf.get(storyId) ?? [];
  const fingerprintOf = testFingerprints(state);
  const verdict = autoVerdict(
    targets,
    before.map((row) => ({
      ...row,
      sameContent: matchesCurrent(state.effective, row),
      testChanged: row === before.at(-1) && findChanged(row.tests, fingerprintOf) !== undefined,
    })),
  );
  if (verdict === undefined) return undefined;
  const runs = [...new Set(targets.flatMap(({ result }) => result?.runId ?? []))];
  const evidence = runs.slice(0, MAX_NAMED_RUNS).join(', ');
  const tests = coveringTests(state, storyId);
  const said = { verdict, method: 'test', evidence, tests, at, note: null, transferredFrom: null };
  return verdictRow(state, node, said, null, at);
}

export interface CoveringResult
  extends Pick<TargetResult, 'status' | 'runId' | 'runSeq' | 'receivedAt'> {
  /** Whether story, what it rests on, and test are today what they were for the run. */
  current: boolean;
}

export interface CoveringTarget {
  /** Whether it must have run: a test or command. */
  required: boolean;
  suspect: boolean;
  result: CoveringResult | undefined;
}

/** `byKind` is who said it first, whoever carried it since. */
export interface EarlierVerdict
  extends Pick<ValidationRow, 'verdict' | 'byKind' | 'resultsUpTo' | 'createdAt'> {
  /** Whether the story says, and rests on, what was judged. */
  sameContent: boolean;
  testChanged: boolean;
}

/**
 * What the service has to say of a story: `passed` where all that covers it passed on what it says
 * and rests on today, `failed` where something then fails: what had failed before it was said to have
 * passed was known then. What a person said of the same content stands, unless that was that it
 * passed. Nothing is said twice, unless it was said by a test that is another one now.
 */
export function autoVerdict(
  targets: readonly CoveringTarget[],
  verdicts: readonly EarlierVerdict[],
): 'passed' | 'failed' | undefined {
  const outcome = outcomeOf(targets);
  if (outcome === undefined) return undefined;
  const last = verdicts.at(-1);
  if (last?.sameContent && last.verdict === outcome && !last.testChanged) return undefined;
  const onThis = verdicts.findLast(({ sameContent }) => sameContent);
  if (onThis && onThis.byKind === 'person' && onThis.verdict !== 'passed') return undefined;
  if (outcome === 'passed') return outcome;
  return onThis?.verdict === 'passed' && hasFailedSince(targets, onThis) ? outcome : undefined;
}

function outcomeOf(targets: readonly CoveringTarget[]) {
  if (targets.some(({ result }) => result?.current && isFailure(result))) return 'failed';
  const judged = targets.filter(({ required, result }) => required || result);
  const passed = judged.every(
    ({ suspect, result }) => !suspect && result?.current && result.status === 'passed',
  );
  return passed && judged.length > 0 ? 'passed' : undefined;
}

/** By the order of runs, and by time, as that is not always known. */
function hasFailedSince(
  targets: readonly CoveringTarget[],
  { resultsUpTo, createdAt }: EarlierVerdict,
): boolean {
  return targets.some(
    ({ result }) =>
      result?.current &&
      isFailure(result) &&
      ((resultsUpTo !== null && result.runSeq > resultsUpTo) || result.receivedAt > createdAt),
  );
}

/** The tests and commands that cover a story, which must have run, and the scenarios, which may. */
function coveringTargets(
  state: AssuranceState,
  { storyId, traces }: StoryCoverage,
  find: FindJudged,
): CoveringTarget[] {
  return traces.flatMap(({ type, target, state: own }) => {
    const required = target.kind === 'test' || target.kind === 'command';
    if (type !== 'verifies' || own === 'broken') return [];
    if (!required && target.kind !== 'scenario') return [];
    if (standingOfTarget(state, target, state.results.of(target)) !== 'counts') return [];
    const found = find(target);
    const result = found && { ...found, current: isOfToday(state, storyId, target, found) };
    return [{ required, suspect: own === 'suspect', result }];
  });
}

function isOfToday(
  state: AssuranceState,
  storyId: string,
  target: StoryTrace['target'],
  result: TargetResult,
): boolean {
  if (!isOfTarget(state, target, result) || !isCurrent(state, storyId, result)) return false;
  const deep = result.deepFingerprintOf(storyId);
  return deep === undefined || state.effective.under(storyId, deep) === deep;
}
