// A project's settings and the merge patches that change them.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Problem } from '../../src/errors.ts';
import {
  DEFAULT_SETTINGS,
  NEEDS,
  NORMATIVE_FIELDS,
  patchSettings,
  readSettings,
  type Settings,
} from '../../src/requirements/projects/settings.ts';

const KEYS = [
  'ed25519:11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  'ed25519:PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw',
];
const good: fc.Arbitrary<Partial<Record<keyof Settings, unknown>>> = fc.record(
  {
    editPolicy: fc.constantFrom('direct', 'review', null),
    needs: fc.option(fc.uniqueArray(fc.constantFrom(...NEEDS))),
    normative: fc.option(fc.uniqueArray(fc.constantFrom(...NORMATIVE_FIELDS), { minLength: 1 })),
    autoValidate: fc.option(fc.boolean()),
    judgedBranches: fc.option(
      fc.array(fc.string({ minLength: 1, maxLength: 20 }), { maxLength: 5 }),
    ),
    trustedKeys: fc.option(fc.subarray([...KEYS])),
    retentionDays: fc.option(fc.integer({ min: 1, max: 36_500 })),
    quotaBytes: fc.option(fc.nat()),
    demo: fc.option(fc.boolean()),
  },
  { requiredKeys: [] },
);

describe('settings [PQRS-2]', () => {
  test('are the defaults where nothing is stored', () =>
    expect(readSettings({})).toEqual(DEFAULT_SETTINGS));

  test('after any patches are what the last word on each was', () => {
    fc.assert(
      fc.property(fc.array(good, { maxLength: 6 }), (patches) => {
        let stored: Partial<Settings> = {};
        const expected: Record<string, unknown> = { ...DEFAULT_SETTINGS };
        for (const patch of patches) {
          stored = patchSettings(stored, patch);
          for (const [name, value] of Object.entries(patch)) {
            expected[name] = value ?? DEFAULT_SETTINGS[name as keyof Settings];
          }
        }
        expect(readSettings(stored) as object).toEqual(expected);
        expect(patchSettings(stored, {})).toEqual(stored);
      }),
    );
  });

  test('refuse what is none of them, and what they may not be', () => {
    for (const patch of [
      { colour: 'red' },
      { editPolicy: 'open' },
      { needs: ['test', 'test'] },
      { normative: [] },
      { normative: ['colour'] },
      { autoValidate: 1 },
      { judgedBranches: 'main' },
      { judgedBranches: [''] },
      { judgedBranches: Array(101).fill('a') },
      { retentionDays: 0 },
      { retentionDays: 1.5 },
      { quotaBytes: -1 },
      { quotaBytes: 2 ** 53 },
      { demo: 'true' },
    ]) {
      expect(() => patchSettings({}, patch), JSON.stringify(patch)).toThrow(Problem);
    }
  });
});
