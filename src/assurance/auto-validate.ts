// What follows from a run for the verdicts on its stories, where a project lets passing tests
// validate.
import { nextTurn } from '../quality/turns.ts';
import type { Db } from '../store/database.ts';
import type { TestRunRow } from '../store/tables/quality.ts';
import type { Assurance } from './assurance.ts';
import { autoVerdict } from './auto-verdict.ts';
import { chunksOf } from './chunks.ts';
import type { StoryCoverage, StoryTrace } from './coverage-model.ts';
import { coveringTargets } from './covering-targets.ts';
import { type FindJudged, readJudgedResults, testsOfBatch } from './judged-results.ts';
import type { AssuranceState } from './state.ts';
import { standingOf, storyNode } from './story.ts';
import { targetKey } from './target-results.ts';
import { findChanged, testFingerprints } from './test-fingerprints.ts';
import {
  coveringTests,
  insertVerdicts,
  type NewValidation,
  verdictRow,
} from './validation-rows.ts';
import type { JudgedTest } from './validation-view.ts';
import { newestVerdict, Overtaken, requireCurrent, requireVerdicts } from './write-on-state.ts';

/** What is needed of a run. */
export type ValidatingRun = Pick<TestRunRow, 'id' | 'batch' | 'branch' | 'counts' | 'commandId'>;

const VERDICTS_AT_A_TIME = 250;
const STORIES_A_TURN = 200;
const TRIES = 10;

/**
 * Judges the stories that a run bears on, where the project's settings say so. To be called when the
 * run is settled and others were told of it; called again, it says nothing twice.
 *
 * @returns how many verdicts were written
 */
export async function autoValidate(
  { database, effective, states, clock }: Assurance,
  projectId: string,
  run: ValidatingRun,
): Promise<number> {
  const { autoValidate: wanted, judgedBranches } = (await effective.of(projectId)).settings;
  const judged = judgedBranches === null || judgedBranches.includes(run.branch ?? '');
  if (!wanted || !judged || run.counts !== 1) return 0;
  let written = 0;
  for (let left = TRIES; ; left -= 1) {
    const state = await states.of(projectId);
    const rows = await verdictsAfter(database.read, state, run, clock());
    if (rows.length === 0) return written;
    try {
      let newest = state.verdictClock;
      for (const some of chunksOf(rows, VERDICTS_AT_A_TIME)) {
        newest = await database.write(async (db) => {
          if (!states.stands(state)) throw new Overtaken('the state has changed');
          await requireCurrent(db, state.effective);
          await requireVerdicts(db, projectId, newest);
          await insertVerdicts(db, some);
          return newestVerdict(db, projectId);
        });
        written += some.length;
      }
      return written;
    } catch (error) {
      if (!(error instanceof Overtaken) || left === 0) throw error;
      effective.changed(projectId);
    } finally {
      states.changed(projectId, 'validations');
    }
  }
}

/** The verdicts that are due after a run. */
async function verdictsAfter(
  db: Db,
  state: AssuranceState,
  run: ValidatingRun,
  now: number,
): Promise<NewValidation[]> {
  const { judgedBranches } = state.effective.settings;
  const isOfRun = await targetsOfRun(db, state, run);
  const stories = state
    .coverage()
    .stories.filter(({ traces }) =>
      traces.some(({ type, target }) => type === 'verifies' && isOfRun(target)),
    );
  const targets = new Map(
    stories.flatMap(({ traces }) => traces.map(({ target }) => [targetKey(target), target])),
  );
  const find = await readJudgedResults(db, state, targets.values(), judgedBranches);
  const verdicts: NewValidation[] = [];
  for (const [at, story] of stories.entries()) {
    if (at > 0 && at % STORIES_A_TURN === 0) await nextTurn();
    const verdict = verdictOn(state, story, find, now);
    if (verdict) verdicts.push(verdict);
  }
  return verdicts;
}

/** Tells what a run has a result of that may be the newest judged one. */
async function targetsOfRun(
  db: Db,
  { results, tests, commands, effective }: AssuranceState,
  run: ValidatingRun,
): Promise<(target: StoryTrace['target']) => boolean> {
  // A later run bears on what it has newer results of by itself.
  if (effective.settings.judgedBranches === null)
    return (target) => results.of(target)?.runId === run.id;
  const ran = await testsOfBatch(db, run.batch);
  return ({ kind, id }) => {
    if (kind === 'test') return ran.has(tests.tests.get(id)?.seq ?? -1);
    return kind === 'command' && run.commandId !== null && commands.find(id)?.id === run.commandId;
  };
}

function verdictOn(
  state: AssuranceState,
  story: StoryCoverage,
  find: FindJudged,
  now: number,
): NewValidation | undefined {
  const { storyId } = story;
  const node = storyNode(state, storyId);
  if (!node) return undefined;
  const targets = coveringTargets(state, story, find);
  const before = state.validationsOf.get(storyId) ?? [];
  const fingerprintOf = testFingerprints(state);
  const verdict = autoVerdict(
    targets,
    before.map((row) => ({
      ...{ verdict: row.verdict, byKind: row.byKind },
      sameContent: standingOf(state, row) === 'valid',
      testChanged:
        row === before.at(-1) &&
        findChanged(JSON.parse(row.tests) as JudgedTest[], fingerprintOf) !== undefined,
    })),
  );
  if (verdict === undefined) return undefined;
  const runs = [...new Set(targets.flatMap(({ result }) => result?.runId ?? []))];
  const said = {
    ...{ verdict, method: 'test', evidence: runs.slice(0, RUNS_NAMED).join(', ') },
    ...{ tests: coveringTests(state, storyId), at: now, note: null, transferredFrom: null },
  };
  return verdictRow(state, node, said, null, now);
}

const RUNS_NAMED = 100;
