// A project's settings: what is stored is what differs from the defaults.
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { invalid } from '../../errors.ts';
import { mergePatch } from '../../model/merge-patch.ts';
import { closed, Name, nullable, oneOf } from '../../model/schemas.ts';
import { compileCheck } from '../../model/validate.ts';
import { readPublicKey } from '../../store/keys/bundle-key.ts';

export const NORMATIVE_FIELDS = [
  'kind',
  'title',
  'statement',
  'acceptance',
  'links',
  'rationale',
  'priority',
  'tags',
] as const;
/** What a story may need to be covered. */
export const NEEDS = ['scenario', 'test'] as const;

export const SETTING_SCHEMAS = {
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
  judgedBranches: Type.Array(Name, {
    maxItems: 100,
    description: 'Branches whose results are judged; null for all',
  }),
  trustedKeys: Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
    maxItems: 100,
    description: 'Ed25519 public keys whose bundles are taken',
  }),
  retentionDays: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    description: 'Days for which logs and runs are kept; null for ever',
  }),
  quotaBytes: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "Bytes of all the project's files at most; null for no bound",
  }),
  demo: Type.Boolean({ description: 'Whether `read:demo` tokens are in effect' }),
};

type Values = { [Name in keyof typeof SETTING_SCHEMAS]: Static<(typeof SETTING_SCHEMAS)[Name]> };
type MaybeNull = 'judgedBranches' | 'retentionDays' | 'quotaBytes';

export type Settings = Omit<Values, MaybeNull> & { [Name in MaybeNull]: Values[Name] | null };

export const DEFAULT_SETTINGS: Settings = {
  editPolicy: 'direct',
  needs: ['test'],
  normative: ['kind', 'title', 'statement', 'acceptance', 'links'],
  autoValidate: false,
  judgedBranches: null,
  trustedKeys: [],
  retentionDays: null,
  quotaBytes: null,
  demo: false,
};

export const SettingsPatch = closed(
  optional((schema) => nullable(schema)),
  { title: 'SettingsPatch', description: 'Null puts a setting back to its default' },
);

const checkStored = compileCheck(closed(optional((schema) => schema)));

function optional(change: (schema: TSchema) => TSchema): Record<string, TSchema> {
  const changed = Object.entries(SETTING_SCHEMAS).map(([name, schema]) => [
    name,
    Type.Optional(change(schema)),
  ]);
  return Object.fromEntries(changed);
}

export function readSettings(stored: Partial<Settings>): Settings {
  return { ...DEFAULT_SETTINGS, ...stored };
}

/**
 * Applies a merge patch.
 *
 * @throws Problem `invalid` when the result is none
 */
export function patchSettings(stored: Partial<Settings>, patch: unknown): Partial<Settings> {
  requireKeys((patch as Partial<Settings> | null)?.trustedKeys);
  return checkStored(mergePatch(stored, patch)) as Partial<Settings>;
}

/** @throws Problem `invalid` for a text that is no Ed25519 public key */
function requireKeys(keys: readonly string[] | null | undefined): void {
  for (const [at, text] of (keys ?? []).entries()) {
    if (readPublicKey(text) === undefined)
      throw invalid(
        `/settings/trustedKeys/${at}`,
        'is no Ed25519 public key: ed25519:<base64url>, or PEM',
      );
  }
}
