// Bundles: the verdict that stands on each story, signed, for carrying to an instance that this one has no
// other way to.
import { timestamp } from '../../clock.ts';
import { Problem } from '../../errors.ts';
import type { BundleKey } from '../../store/keys/bundle-key.ts';
import { isSignedBy, readPublicKey } from '../../store/keys/bundle-key.ts';
import { sharedTest } from '../coverage/shared-tests.ts';
import type { AssuranceState } from '../state/state.ts';
import { canonicalJson, type PlainJson } from './canonical-json.ts';
import { BUNDLE_FORMAT, type ValidationBundle } from './model.ts';
import { standingVerdict } from './standing-verdict.ts';
import type { JudgedTest } from './view.ts';

/** The bundle of a project as it is. */
export function writeBundle(
  state: AssuranceState,
  project: string,
  key: BundleKey,
  now: number,
): ValidationBundle {
  const { effective, validationsOf } = state;
  const results = [...validationsOf.values()].flatMap((verdicts) => {
    const last = standingVerdict(effective, verdicts);
    if (!last) return [];
    const { id, storyId, verdict, method, evidence, at, revision } = last;
    return [
      {
        ...{ id, storyId, title: effective.node(storyId)?.title ?? '', verdict, method, evidence },
        tests: (JSON.parse(last.tests) as JudgedTest[]).map((test) => sharedTest(state, test)),
        by: last.byLabel ?? last.byToken ?? last.byKind,
        ...{ at: timestamp(at), revision },
        ...{ fingerprint: last.fingerprint, deepFingerprint: last.deepFingerprint },
      } as ValidationBundle['results'][number],
    ];
  });
  const unsigned = {
    ...{ format: BUNDLE_FORMAT, version: 1, project },
    ...{ revision: effective.revision?.number ?? 0, exportedAt: timestamp(now) },
    ...{ publicKey: key.publicText, results },
  } as Omit<ValidationBundle, 'signature'>;
  return {
    ...unsigned,
    signature: Buffer.from(key.sign(signedBytes(unsigned))).toString('base64url'),
  };
}

/**
 * Checks a bundle against the keys that a project trusts.
 *
 * @throws Problem `untrusted_key`, or `invalid` where the signature is not that of its content
 */
export function verifyBundle(bundle: ValidationBundle, trustedKeys: readonly string[]): void {
  const { signature, ...unsigned } = bundle;
  const key = readPublicKey(bundle.publicKey);
  const trusted = trustedKeys.map((text) => readPublicKey(text));
  if (key === undefined || !trusted.includes(key)) {
    throw new Problem(
      'untrusted_key',
      'The bundle is signed by a key that the project does not trust.',
      {
        errors: [{ pointer: '/bundle/publicKey', detail: 'is not among settings.trustedKeys' }],
      },
    );
  }
  const bytes = Buffer.from(signature, 'base64url');
  // What is read leniently could be written in many ways.
  const isPlain = bytes.toString('base64url') === signature;
  if (isPlain && isSignedBy(key, signedBytes(unsigned), bytes)) return;
  throw new Problem('invalid', '/bundle/signature: is not that of the content', {
    errors: [{ pointer: '/bundle/signature', detail: 'is not that of the content' }],
  });
}

function signedBytes(unsigned: Omit<ValidationBundle, 'signature'>): Uint8Array {
  return Buffer.from(canonicalJson(unsigned as unknown as PlainJson));
}
