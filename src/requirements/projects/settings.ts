// A project's settings: what is stored is what differs from the defaults.
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { invalid } from '../../errors.ts';
import { mergePatch } from '../../model/merge-patch.ts';
import { closed, Name, nullable, oneOf } from '../../model/schemas.ts';
import { compileCheck } from '../../model/validate.ts';
import { readPublicKey } from '../../store/keys/bundle-key.ts';
import { NORMATIVE_FIELDS } from '../graph/fingerprint.ts';
import { DEFAULT_GATES, Gates, GatesPatch, readGates } from './gates.ts';

/** What a story may need to be covered. */
export const NEEDS = ['scenario', 'test'] as const;

const always = {
  editPolicy: oneOf(
    ['direct', 'review'],
    '`direct`: an edit is accepted at once; `review`: an owner accepts',
  ),
  needs: Type.Array(oneOf(NEEDS), {
    uniqueItems: true,
    maxItems: NEEDS.length,
    description: 'What a story needs to be covered',
  }),
  normative: Type.Array(oneOf(NORMATIVE_FIELDS), {
    uniqueItems: true,
    minItems: 1,
    maxItems: 20,
    description: "What a story's fingerprint covers",
  }),
  autoValidate: Type.Boolean({ description: 'Whether passing runs validate stories' }),
  trustedKeys: Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
    maxItems: 100,
    description: 'Ed25519 public keys whose bundles are taken',
  }),
  demo: Type.Boolean({ description: 'Whether `read:demo` tokens are in effect' }),
};

const bounds = {
  judgedBranches: nullable(
    Type.Array(Name, {
      maxItems: 100,
      description: 'Branches whose results are judged; null for all',
    }),
  ),
  retentionDays: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 36_500,
      description: 'Days for which logs and runs are kept; null for ever',
    }),
  ),
  quotaBytes: nullable(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Bytes of all the project's files at most; null for no bound",
    }),
  ),
};

export const Settings = closed({ ...always, gates: Gates, ...bounds }, { title: 'Settings' });
export type Settings = Static<typeof Settings>;

export const DEFAULT_SETTINGS: Settings = {
  editPolicy: 'direct',
  needs: ['test'],
  normative: ['kind', 'title', 'statement', 'acceptance', 'links'],
  autoValidate: false,
  judgedBranches: null,
  trustedKeys: [],
  gates: DEFAULT_GATES,
  retentionDays: null,
  quotaBytes: null,
  demo: false,
};

const orNull = Object.entries(always).map(([name, schema]) => [name, nullable(schema)]);
const patched: Record<string, TSchema> = {
  ...Object.fromEntries(orNull),
  gates: GatesPatch,
  ...bounds,
};
export const SettingsPatch = Type.Partial(closed(patched), {
  title: 'SettingsPatch',
  description: 'Null puts a setting back to its default',
});

const checkStored = compileCheck(Type.Partial(Settings));

export function readSettings(stored: Partial<Settings>): Settings {
  return { ...DEFAULT_SETTINGS, ...stored, gates: readGates(stored.gates) };
}

/** @throws Problem `invalid` where the patched settings are none, or a key is no public key */
export function patchSettings(stored: Partial<Settings>, patch: unknown): Partial<Settings> {
  const keys = (patch as Partial<Settings> | null)?.trustedKeys ?? [];
  for (const [at, text] of keys.entries()) {
    if (readPublicKey(text) === undefined)
      throw invalid(`/settings/trustedKeys/${at}`, 'is no Ed25519 public key: ed25519:<base64url>');
  }
  return checkStored(mergePatch(stored, patch)) as Partial<Settings>;
}
