// Recording verdicts, carrying them over, taking them from a bundle: for each, what is applied and
// why the others are not. Pure functions that give the rows to write.
import type { Actor } from '../../access/caller.ts';
import { parseTime } from '../../model/time.ts';
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import { ownTest } from '../coverage/shared-tests.ts';
import { testFingerprints } from '../results/test-fingerprints.ts';
import type { AssuranceState } from '../state/state.ts';
import { renamedTo, type TransferItem } from './dispositions.ts';
import type { TestContents } from './judged-tests.ts';
import type { ResultInput, ValidationBundle } from './model.ts';
import { newerVerdict } from './newer-verdict.ts';
import { coveringTests, type NewValidation, verdictRow } from './rows.ts';
import type { JudgedTest } from './view.ts';

/** What became of one result. */
export interface Outcome {
  storyId: string;
  applied: boolean;
  /** The new verdict; null where there is none. */
  validationId: string | null;
  why: string;
}

export interface Decided {
  outcomes: Outcome[];
  rows: NewValidation[];
}

interface Deciding {
  state: AssuranceState;
  actor: Actor;
  now: number;
}

/**
 * Verdicts of people on stories as they are.
 *
 * @param contents - of tests that no story knows of
 */
export function recordVerdicts(
  { state, actor, now }: Deciding,
  results: readonly ResultInput[],
  contents: TestContents,
): Decided {
  const decided: Decided = { outcomes: [], rows: [] };
  for (const [index, result] of results.entries()) {
    const story = storyOf(state, result.storyId);
    const at = result.at === undefined ? now : parseTime(`/results/${index}/at`, result.at);
    const why = refusal(state, story, result, at, now) ?? notLast(state, result);
    if (why !== undefined || !story) {
      refuse(decided, result.storyId, why ?? '');
      continue;
    }
    const given = result.tests?.map((test) => withFingerprint(state, test, contents));
    const tests = given ?? coveringTests(state, story.id);
    const { verdict, evidence = null, note = null } = result;
    const judged = { fingerprint: result.fingerprint, deepFingerprint: result.deepFingerprint };
    const method = result.method ?? (given && given.length > 0 ? 'test' : 'inspection');
    const said = { verdict, method, evidence, note, tests, at, transferredFrom: null };
    apply(decided, verdictRow(state, story, said, actor, now, judged), 'It was recorded.');
  }
  return decided;
}

/** Why a verdict is not the one after the last that its giver knows of. */
function notLast(
  { validationsOf }: AssuranceState,
  { storyId, replaces }: ResultInput,
): string | undefined {
  if (replaces === undefined) return undefined;
  const last = validationsOf.get(storyId)?.at(-1)?.id ?? null;
  if (last === replaces) return undefined;
  return last === null
    ? 'Nobody has judged it yet: there is nothing to replace.'
    : `Its last verdict is ${last} by now.`;
}

function refusal(
  { effective }: AssuranceState,
  story: GraphNode | undefined,
  {
    storyId,
    fingerprint,
    deepFingerprint,
  }: { storyId: string; fingerprint?: string; deepFingerprint?: string },
  at: number,
  now: number,
): string | undefined {
  if (!story) return `There is no story ${storyId}.`;
  if (at > now) return 'It would have been judged in the future.';
  if (fingerprint !== undefined && !(isOwn(fingerprint) && holds(fingerprint)))
    return 'The story says something else here: its fingerprint differs.';
  if (deepFingerprint !== undefined && (isOwn(deepFingerprint) || !holds(deepFingerprint)))
    return 'Something that the story rests on differs here: its deep fingerprint does.';
  return undefined;

  function holds(stored: string): boolean {
    return effective.under(storyId, stored) === stored;
  }
}

/** Whether a fingerprint is of a story's own content, and not of all it rests on too. */
function isOwn(fingerprint: string): boolean {
  return fingerprint.startsWith('f');
}

function withFingerprint(
  state: AssuranceState,
  test: { kind: string; id: string; fingerprint?: string | null },
  contents: TestContents,
): JudgedTest {
  const { kind, id, fingerprint } = ownTest(state, test);
  const known = kind === 'test' ? contents.get(id) : undefined;
  const today = testFingerprints(state)({ kind, id }) ?? known;
  return { kind, id, fingerprint: fingerprint ?? today ?? null };
}

/** What may be carried by itself, and what only where the caller accepts doubt. */
const SURE: ReadonlySet<string> = new Set(['transferable', 'restored', 'renamed']);
const DOUBTFUL: ReadonlySet<string> = new Set(['suspect', 'suspect_test']);

/**
 * Carries verdicts over to what stories say today: whatever was said is said again, never lifted.
 *
 * @param items - of the transfer to the effective graph
 * @param storyIds - those wished; undefined for all that can be carried
 */
export function carryVerdicts(
  { state, actor, now }: Deciding,
  items: readonly TransferItem[],
  storyIds: readonly string[] | undefined,
  acceptSuspect: boolean,
): Decided {
  const decided: Decided = { outcomes: [], rows: [] };
  const byId = new Map<string, TransferItem>();
  for (const item of items) {
    byId.set(item.storyId, item);
    const renamed = renamedTo(item);
    if (renamed !== null) byId.set(renamed, item);
  }
  const wished = storyIds
    ? [...new Set(storyIds)].map((id) => byId.get(id) ?? id)
    : items.filter(({ disposition }) => SURE.has(disposition) || DOUBTFUL.has(disposition));
  for (const item of new Set(wished)) {
    if (typeof item === 'string') refuse(decided, item, `There is no story ${item}.`);
    else carryOne({ state, actor, now }, decided, item, acceptSuspect);
  }
  return decided;
}

function carryOne(
  { state, actor, now }: Deciding,
  decided: Decided,
  item: TransferItem,
  acceptSuspect: boolean,
): void {
  const { storyId, disposition, validation, why } = item;
  const id = renamedTo(item) ?? storyId;
  const story = storyOf(state, id);
  const against = carryRefusal(state, item, id, acceptSuspect);
  if (against !== undefined || !validation || !story) {
    refuse(decided, storyId, against ?? `${disposition}: ${why}`);
    return;
  }
  // Who carries it has not judged the story: what has failed since it was first said is news.
  const { verdict, method, evidence, note, at, resultsUpTo } = validation;
  const tests = (JSON.parse(validation.tests) as JudgedTest[]).flatMap((test) => {
    const today = testFingerprints(state)(test);
    const own = ownTest(state, test);
    return today === null ? [] : [{ ...own, fingerprint: today ?? test.fingerprint }];
  });
  const said = {
    ...{ verdict, method, evidence, note, tests, at, resultsUpTo },
    transferredFrom: validation.id,
  };
  apply(decided, verdictRow(state, story, said, actor, now, validation), `${disposition}: ${why}`);
}

/** Why an item is not carried to a story; undefined where it is. */
function carryRefusal(
  { effective, validationsOf }: AssuranceState,
  { storyId, disposition, validation, why }: TransferItem,
  toStory: string,
  acceptSuspect: boolean,
): string | undefined {
  const doubtful = DOUBTFUL.has(disposition);
  if (!validation || (!SURE.has(disposition) && !doubtful)) return `${disposition}: ${why}`;
  if (doubtful && !acceptSuspect) return `${disposition}: ${why} acceptSuspect would carry it.`;
  const number = effective.revision?.number ?? 0;
  if (disposition === 'transferable' && validation.revision === number)
    return `It was judged on revision ${number} already.`;
  return newerVerdict(effective, validation, validationsOf.get(storyId) ?? [], toStory);
}

/** Takes the verdicts of a bundle whose signature was found good. */
export function takeBundle(
  { state, actor, now }: Deciding,
  { results, project }: ValidationBundle,
): Decided {
  const decided: Decided = { outcomes: [], rows: [] };
  const newest = new Map<string, number>();
  for (const [index, result] of results.entries()) {
    const { storyId, verdict, method, evidence, by, id } = result;
    const story = storyOf(state, storyId);
    const at = parseTime(`/bundle/results/${index}/at`, result.at);
    const why = refusal(state, story, result, at, now) ?? notNewer(state, newest, storyId, at);
    if (why !== undefined || !story) {
      refuse(decided, storyId, why ?? '');
      continue;
    }
    newest.set(storyId, at);
    const note = `${by} judged it in ${project}.`;
    const tests = result.tests.map((test) => ownTest(state, test));
    const said = { verdict, method, evidence, note, tests, at, transferredFrom: id };
    apply(
      decided,
      verdictRow(state, story, said, actor, now, result),
      'It was taken from the bundle.',
    );
  }
  return decided;
}

/** @param newest - when the newest verdict on each story was given, as far as that was looked for */
function notNewer(
  { validationsOf }: AssuranceState,
  newest: Map<string, number>,
  storyId: string,
  at: number,
): string | undefined {
  // What was filed last may be of long ago.
  const known =
    newest.get(storyId) ??
    (validationsOf.get(storyId) ?? []).reduce((last, one) => Math.max(last, one.at), -Infinity);
  newest.set(storyId, known);
  return known >= at ? 'There is a verdict here that is as new, or newer.' : undefined;
}

function storyOf({ effective }: AssuranceState, id: string): GraphNode | undefined {
  const node = effective.node(id);
  return node && isNormative(node) ? node : undefined;
}

function refuse({ outcomes }: Decided, storyId: string, why: string): void {
  outcomes.push({ storyId, applied: false, validationId: null, why });
}

function apply({ outcomes, rows }: Decided, row: NewValidation, why: string): void {
  rows.push(row);
  outcomes.push({ storyId: row.storyId, applied: true, validationId: row.id, why });
}
