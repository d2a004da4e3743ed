// Recording verdicts of people, carrying verdicts over to what stories say today, and bundles of them for an
// instance that this one has no other way to: for each verdict, what is applied and why the others are not.
import type { Actor } from '../../access/caller.ts';
import { parseTime, timestamp } from '../../clock.ts';
import { invalid, Problem } from '../../errors.ts';
import { invalidFields } from '../../model/validate.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import { type BundleKey, isSignedBy, readPublicKey } from '../../store/keys/bundle-key.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import type { JudgedTest } from '../../store/tables/json.ts';
import { ownTest, sharedTest, testFingerprints } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import type { TransferItem } from './dispositions.ts';
import { BUNDLE_FORMAT, type Outcome, type ResultInput, type ValidationBundle } from './model.ts';
import {
  coveringTests,
  currentVerdict,
  matchesCurrent,
  type NewValidation,
  standingOf,
  storyOf,
  type Verdict,
  validationView,
  verdictRow,
} from './verdicts.ts';

export interface Deciding {
  state: AssuranceState;
  actor: Actor;
  now: number;
}

export class Decided {
  readonly rows: NewValidation[] = [];
  readonly outcomes: Outcome[] = [];

  refuse(storyId: string, why: string): void {
    this.outcomes.push({ storyId, applied: false, validationId: null, why });
  }

  apply(row: NewValidation, why: string): void {
    this.rows.push(row);
    this.outcomes.push({ storyId: row.storyId, applied: true, validationId: row.id, why });
  }
}

/** @throws Problem `invalid` that points at scenarios and commands that there are not, or at a time */
export function recordVerdicts(
  { state, actor, now }: Deciding,
  results: readonly ResultInput[],
): Decided {
  requireKnownTests(state, results);
  const fingerprintOf = testFingerprints(state);
  const judgedTest = (test: NonNullable<ResultInput['tests']>[number]): JudgedTest => {
    const { kind, id, fingerprint } = ownTest(state, test);
    return { kind, id, fingerprint: fingerprint ?? fingerprintOf({ kind, id }) ?? null };
  };
  const decided = new Decided();
  for (const [index, result] of results.entries()) {
    const { storyId, verdict, evidence = null, note = null } = result;
    const story = storyOf(state.effective, storyId);
    const at = result.at === undefined ? now : parseTime(`/results/${index}/at`, result.at);
    const why = whyRefused(state, story, result, at, now) ?? whyNotNext(state, result);
    if (why !== undefined || !story) {
      decided.refuse(storyId, why ?? '');
      continue;
    }
    const tests = result.tests?.map(judgedTest);
    const said: Verdict = {
      verdict,
      method: result.method ?? (tests && tests.length > 0 ? 'test' : 'inspection'),
      evidence,
      note,
      tests: tests ?? coveringTests(state, story.id),
      at,
      transferredFrom: null,
    };
    decided.apply(verdictRow(state, story, said, actor, now, result), 'It was recorded.');
  }
  return decided;
}

const MAX_ERRORS = 50;

function requireKnownTests(state: AssuranceState, results: readonly ResultInput[]): void {
  const fingerprintOf = testFingerprints(state);
  const isKnown = ({ kind, id }: { kind: string; id: string }) =>
    kind === 'command' ? state.commands.find(id) : fingerprintOf({ kind, id }) !== null;
  const errors = results.flatMap(({ tests = [] }, index) =>
    tests.flatMap((test, at) => {
      const pointer = `/results/${index}/tests/${at}/id`;
      return isKnown(test) ? [] : { pointer, detail: `is not a ${test.kind} of this project` };
    }),
  );
  if (errors.length > 0) throw invalidFields(errors.slice(0, MAX_ERRORS));
}

function whyNotNext(
  { validationsOf }: AssuranceState,
  { storyId, replaces }: ResultInput,
): string | undefined {
  const last = validationsOf.get(storyId)?.at(-1)?.id ?? null;
  if (replaces === undefined || last === replaces) return undefined;
  return `Its last verdict is ${last ?? 'none'} by now.`;
}

/** Why a verdict cannot be on a story as it is here; undefined where it can. */
function whyRefused(
  { effective }: AssuranceState,
  story: GraphNode | undefined,
  result: Pick<ResultInput, 'storyId' | 'fingerprint' | 'deepFingerprint'>,
  at: number,
  now: number,
): string | undefined {
  const { storyId, fingerprint = '', deepFingerprint = '' } = result;
  const differs = (stored: string, letter: string) =>
    stored !== '' && !(stored.startsWith(letter) && effective.under(storyId, stored) === stored);
  if (!story) return `There is no story ${storyId}.`;
  if (at > now) return 'It would have been judged in the future.';
  if (differs(fingerprint, 'f')) return 'Its fingerprint differs here.';
  return differs(deepFingerprint, 'd') ? 'Its deep fingerprint differs here.' : undefined;
}

/** What is carried without `acceptSuspect`. */
export const SURE: ReadonlySet<string> = new Set(['transferable', 'restored', 'renamed']);
const DOUBTFUL: ReadonlySet<string> = new Set(['suspect', 'suspect_test']);

/** @param storyIds - those asked for; undefined for all that can be carried */
export function carryVerdicts(
  { state, actor, now }: Deciding,
  items: readonly TransferItem[],
  storyIds: readonly string[] | undefined,
  acceptSuspect: boolean,
): Decided {
  const decided = new Decided();
  const byId = new Map<string, TransferItem>();
  for (const item of items) byId.set(item.storyId, item).set(item.renamedTo ?? item.storyId, item);
  const isCarriable = ({ disposition: one }: TransferItem) => SURE.has(one) || DOUBTFUL.has(one);
  const asked = storyIds?.map((id) => byId.get(id) ?? id) ?? items.filter(isCarriable);
  for (const item of new Set(asked)) {
    if (typeof item === 'string') {
      decided.refuse(item, `There is no story ${item}.`);
      continue;
    }
    const { storyId, validation } = item;
    const id = item.renamedTo ?? storyId;
    const story = storyOf(state.effective, id);
    const why = `${item.disposition}: ${item.why}`;
    const against = whyNotCarried(state, item, id, acceptSuspect);
    if (against !== undefined || !validation || !story) decided.refuse(storyId, against ?? why);
    else {
      const said = saidAgain(state, validation);
      decided.apply(verdictRow(state, story, said, actor, now, validation), why);
    }
  }
  return decided;
}

/** How many a carry of all that is sure would take. */
export function countCarriable(state: AssuranceState, items: readonly TransferItem[]): number {
  const wouldCarry = (item: TransferItem) => {
    const id = item.renamedTo ?? item.storyId;
    const isThere = SURE.has(item.disposition) && storyOf(state.effective, id) !== undefined;
    return isThere && whyNotCarried(state, item, id, false) === undefined;
  };
  return items.filter(wouldCarry).length;
}

/** Who carries it has not judged the story: what has failed since it was first given is news. */
function saidAgain(state: AssuranceState, validation: ValidationRow): Verdict {
  const { id, verdict, method, evidence, note, at, byKind, resultsUpTo } = validation;
  const tests = validation.tests.flatMap((test) => {
    const today = testFingerprints(state)(test);
    if (today === null) return [];
    return { ...ownTest(state, test), fingerprint: today ?? test.fingerprint };
  });
  return { verdict, method, evidence, note, tests, at, byKind, resultsUpTo, transferredFrom: id };
}

function whyNotCarried(
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
  return whySuperseded(effective, validation, validationsOf.get(storyId) ?? [], toStory);
}

type Judged = Pick<ValidationRow, 'id' | 'seq' | 'storyId' | 'fingerprint' | 'deepFingerprint'>;

/**
 * Why an earlier verdict is not to be said again: a newer one judged the same text. Where the earlier
 * one is of all that the story rests on today too, only a newer one that is as well supersedes it.
 * @param storyId - what their story is called today
 * @returns undefined where it may be said again
 */
export function whySuperseded(
  effective: Pick<Effective, 'node' | 'under'>,
  carried: Judged,
  verdicts: readonly Judged[],
  storyId: string,
): string | undefined {
  const newer = verdicts.flatMap((one) => (one.seq > carried.seq ? { ...one, storyId } : []));
  const current = newer.findLast((one) => matchesCurrent(effective, one));
  if (current) return `${current.id}, which is newer, judged what it says today.`;
  const alike = newer.findLast((one) => standingOf(effective, one) !== 'invalidated');
  if (!alike || matchesCurrent(effective, { ...carried, storyId })) return undefined;
  return `${alike.id}, which is newer, judged the same text.`;
}

export function writeBundle(
  state: AssuranceState,
  project: string,
  key: BundleKey,
  now: number,
): ValidationBundle {
  const { effective, validationsOf } = state;
  const results = [...validationsOf.values()].flatMap((verdicts) => {
    const last = currentVerdict(effective, verdicts);
    if (!last) return [];
    const { by: _by, transferredFrom: _from, note: _note, ...said } = validationView(last);
    return {
      ...said,
      evidence: last.evidence,
      title: effective.node(last.storyId)?.title ?? '',
      tests: last.tests.map((test) => sharedTest(state, test)),
      by: last.byLabel ?? last.byToken ?? last.byKind,
    };
  });
  const unsigned: Omit<ValidationBundle, 'signature'> = {
    format: BUNDLE_FORMAT,
    version: 1,
    project,
    revision: effective.revision?.number ?? 0,
    exportedAt: timestamp(now),
    publicKey: key.publicText,
    results,
  };
  const signature = Buffer.from(key.sign(signedBytes(unsigned))).toString('base64url');
  return { ...unsigned, signature };
}

/** @throws Problem `untrusted_key`, or `invalid` where the signature is not that of its content */
export function verifyBundle(bundle: ValidationBundle, trustedKeys: readonly string[]): void {
  const { signature, ...unsigned } = bundle;
  const key = readPublicKey(bundle.publicKey);
  const trusted = trustedKeys.map((text) => readPublicKey(text));
  if (key === undefined || !trusted.includes(key)) {
    const detail = 'The bundle is signed by a key that the project does not trust.';
    const errors = [{ pointer: '/bundle/publicKey', detail: 'is not among settings.trustedKeys' }];
    throw new Problem('untrusted_key', detail, { errors });
  }
  const bytes = Buffer.from(signature, 'base64url');
  // What is read leniently could be written in many ways.
  const isPlain = bytes.toString('base64url') === signature;
  if (!isPlain || !isSignedBy(key, signedBytes(unsigned), bytes))
    throw invalid('/bundle/signature', 'is not that of the content');
}

function signedBytes(unsigned: Omit<ValidationBundle, 'signature'>): Uint8Array {
  return Buffer.from(canonicalJson(unsigned));
}

/** The canonical text of a value (RFC 8785): keys sorted by their UTF-16 code units, no white space. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

export function takeBundle(
  { state, actor, now }: Deciding,
  { results, project }: ValidationBundle,
): Decided {
  const decided = new Decided();
  /** When the newest verdict on each story was given: what was filed last may be of long ago. */
  const newest = new Map<string, number>();
  for (const [index, result] of results.entries()) {
    const { storyId, verdict, method, evidence, by, id } = result;
    const story = storyOf(state.effective, storyId);
    const at = parseTime(`/bundle/results/${index}/at`, result.at);
    const own = state.validationsOf.get(storyId)?.map((one) => one.at) ?? [];
    const known = newest.get(storyId) ?? Math.max(...own);
    const isKnown = known >= at ? 'There is a verdict here that is as new, or newer.' : undefined;
    const why = whyRefused(state, story, result, at, now) ?? isKnown;
    newest.set(storyId, why === undefined ? at : known);
    if (why !== undefined || !story) {
      decided.refuse(storyId, why ?? '');
      continue;
    }
    const note = `${by} judged it in ${project}.`;
    const tests = result.tests.map((test) => ownTest(state, test));
    const said: Verdict = { verdict, method, evidence, note, tests, at, transferredFrom: id };
    const row = verdictRow(state, story, said, actor, now, result);
    decided.apply(row, 'It was taken from the bundle.');
  }
  return decided;
}
