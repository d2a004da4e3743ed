// What follows from a run for the verdicts on its stories, where a project lets passing tests
// validate.

import { serialized } from '../../model/write-conflict.ts';
import { yieldToEventLoop } from '../../quality/scheduler.ts';
import type { Graphs } from '../../requirements/graph/graphs.ts';
import type { Db } from '../../store/database.ts';
import type { TestRunRow } from '../../store/tables/quality.ts';
import type { Assurance } from '../assurance.ts';
import type { StoryCoverage } from '../coverage/model.ts';
import { type FindJudged, readJudgedResults, readTestKeys } from '../results/judged-results.ts';
import type { LinkedStories } from '../results/linked-stories.ts';
import type { PastStories } from '../results/model.ts';
import { noteUnpinned, readTimes, type UnpinnedTimes } from '../results/past-stories.ts';
import { targetKey } from '../results/target-results.ts';
import { findChanged, testFingerprints } from '../results/test-fingerprints.ts';
import type { AssuranceState } from '../state/state.ts';
import { chunksOf } from '../state/state.ts';
import {
  newestVerdict,
  requireCurrent,
  requireVerdicts,
  together,
} from '../state/write-on-state.ts';
import { autoVerdict, coveringTargets } from './auto-verdict.ts';
import { matchesCurrent, originalJudge } from './current.ts';
import { refusedBefore } from './gone.ts';
import { storyOf } from './renames.ts';
import { coveringTests, insertVerdicts, type NewValidation, verdictRow } from './rows.ts';

export type ValidatingRun = Pick<TestRunRow, 'id' | 'batch' | 'branch' | 'counts' | 'commandId'>;

const [WRITE_BATCH, STORY_BATCH, MAX_NAMED_RUNS] = [250, 200, 100];
const MAX_TIMES_READ = 8;

/**
 * What judges the stories that a run bears on, where the settings of its project say so. To be called
 * when the run is settled; called again, it says nothing twice. The runs of one project are looked at one
 * after the other: what followed from one is known to the next, so that no verdict rests on results that
 * another one has replaced.
 */
export function openAutoValidation(
  assurance: Assurance,
): (projectId: string, run: ValidatingRun) => Promise<void> {
  return together((projectId, runs) => autoValidate(assurance, projectId, runs));
}

async function autoValidate(
  { database, effective, graphs, states, clock }: Assurance,
  projectId: string,
  runs: readonly ValidatingRun[],
): Promise<void> {
  const { autoValidate: wanted, judgedBranches } = (await effective.of(projectId)).settings;
  const judged = runs.filter(
    ({ branch, counts }) =>
      counts && (judgedBranches === null || judgedBranches.includes(branch ?? '')),
  );
  if (!wanted || judged.length === 0) return;
  // Judging takes its time, and nobody is to wait for it who need not.
  await serialized((wait) => effective.alone(projectId, wait), attempt);

  async function attempt(): Promise<void> {
    const state = await states.of(projectId);
    const linked = await states.linked(projectId);
    const reached = await storiesOf(database.read, state, linked, judged);
    const rows = await verdictsAfter({ graphs, db: database.read }, state, reached, clock());
    if (rows.length === 0) return;
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

async function verdictsAfter(
  reading: { graphs: Graphs; db: Db },
  state: AssuranceState,
  reached: ReadonlySet<string>,
  now: number,
): Promise<NewValidation[]> {
  const coverage = state.coverage();
  const stories = [...reached].flatMap((id) => coverage.of(id) ?? []);
  const targets = new Map(
    stories.flatMap(({ traces }) => traces.map(({ target }) => [targetKey(target), target])),
  );
  const { judgedBranches } = state.effective.settings;
  const find = await readJudgedResults(reading.db, state, targets.values(), judgedBranches);
  const judged = { ...state, past: await pastOf(reading, state, stories, find) };
  const verdicts: NewValidation[] = [];
  for (const [at, story] of stories.entries()) {
    if (at > 0 && at % STORY_BATCH === 0) await yieldToEventLoop();
    const verdict = verdictOn(judged, story, find, now);
    if (verdict) verdicts.push(verdict);
  }
  return verdicts;
}

/**
 * What stories said for the newest judged results that have not pinned them: on branches that are not
 * judged what covers them may have later ones.
 */
async function pastOf(
  reading: { graphs: Graphs; db: Db },
  { effective, past }: AssuranceState,
  stories: readonly StoryCoverage[],
  find: FindJudged,
): Promise<PastStories> {
  const times: UnpinnedTimes = new Map();
  for (const { storyId, traces } of stories) {
    for (const { type, target } of traces) {
      const result = type === 'verifies' ? find(target) : undefined;
      const isRead = result?.requirements && past.of(storyId, result.requirements);
      if (!isRead) noteUnpinned(times, effective, result, [storyId]);
    }
  }
  if (times.size === 0) return past;
  const more = await readTimes(reading, effective, times, new Map(), MAX_TIMES_READ);
  return { of: (storyId, then) => past.of(storyId, then) ?? more.past.of(storyId, then) };
}

async function storiesOf(
  db: Db,
  { tests, commands }: AssuranceState,
  linked: LinkedStories,
  runs: readonly ValidatingRun[],
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const add = (list: readonly string[] | undefined) => {
    for (const id of list ?? []) ids.add(id);
  };
  for (const { batch, commandId } of runs) {
    for await (const keys of readTestKeys(db, batch)) {
      for (const key of keys) {
        add(tests.tests.get(key)?.storyIds);
        add(linked.ofTest.get(key));
      }
    }
    if (commandId === null) continue;
    add(commands.find(commandId)?.storyIds);
    add(linked.ofCommand.get(commandId));
  }
  return ids;
}

function verdictOn(
  state: AssuranceState,
  story: StoryCoverage,
  find: FindJudged,
  now: number,
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
      byKind: originalJudge(state.validationsOf, row),
      sameContent: matchesCurrent(state.effective, row),
      testChanged: row === before.at(-1) && findChanged(row.tests, fingerprintOf) !== undefined,
    })),
  );
  // What was refused under a name that a story had before is to be carried, or judged anew, by a person.
  if (verdict === undefined || refusedBefore(state, storyId)) return undefined;
  const runs = [...new Set(targets.flatMap(({ result }) => result?.runId ?? []))];
  const said = {
    verdict,
    method: 'test',
    evidence: runs.slice(0, MAX_NAMED_RUNS).join(', '),
    tests: coveringTests(state, storyId),
    at: now,
    note: null,
    transferredFrom: null,
  };
  return verdictRow(state, node, said, null, now);
}
