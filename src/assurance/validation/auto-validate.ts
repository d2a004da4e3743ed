// What follows from a run for the verdicts on its stories, where a project lets passing tests
// validate.
import { setImmediate } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { serialized } from '../../model/write-conflict.ts';
import { BATCH_SPAN } from '../../quality/runs/model.ts';
import { yieldToEventLoop } from '../../quality/scheduler.ts';
import type { Db } from '../../store/database.ts';
import type { TestRunRow } from '../../store/tables/quality.ts';
import type { Assurance } from '../assurance.ts';
import type { StoryCoverage } from '../coverage/model.ts';
import { type FindJudged, readJudgedResults } from '../results/judged-results.ts';
import { findChanged, targetKey, testFingerprints } from '../results/target-results.ts';
import { type AssuranceState, chunksOf } from '../state/state.ts';
import { newestVerdict, requireCurrent, requireVerdicts } from '../state/write-on-state.ts';
import { autoVerdict, coveringTargets } from './auto-verdict.ts';
import { matchesCurrent, storyOf } from './current.ts';
import { coveringTests, insertVerdicts, type NewValidation, verdictRow } from './rows.ts';
import { renamedItems } from './transfer.ts';

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
  const refused = (await renamedItems(assurance, state)).filter(
    ({ validation }) => validation?.byKind === 'person' && validation.verdict !== 'passed',
  );
  const leftOut = new Set(refused.flatMap(({ candidates }) => candidates));
  const verdicts: NewValidation[] = [];
  for (const [at, story] of stories.entries()) {
    if (at > 0 && at % STORY_BATCH === 0) await yieldToEventLoop();
    const verdict = leftOut.has(story.storyId) ? undefined : verdictOn(state, story, find, now);
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
