// Bundles: the current verdict on each story, signed, for carrying to an instance that this one has no
// other way to.
import { parseTime, timestamp } from '../../clock.ts';
import { invalid, Problem } from '../../errors.ts';
import { type BundleKey, isSignedBy, readPublicKey } from '../../store/keys/bundle-key.ts';
import { ownTest, sharedTest } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import { Decided, type Deciding, whyRefused } from './decide.ts';
import { BUNDLE_FORMAT, type ValidationBundle } from './model.ts';
import { currentVerdict, storyOf, type Verdict, validationView, verdictRow } from './verdicts.ts';

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
