// Verdicts as they are read: what has come since, added to what was known, is what reading all of
// them anew gives, and what was known stays as it was.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { loadValidations, type Verdicts } from '../../src/assurance/state/state.ts';
import { insertVerdicts, type NewValidation } from '../../src/assurance/validation/verdicts.ts';
import { newId } from '../../src/store/ids.ts';
import { type Instance, openInstance } from '../support/instance.ts';

let instance: Instance;
beforeAll(async () => {
  instance = await openInstance();
});
afterAll(() => instance.close());

const row = (projectId: string, storyId: string): NewValidation => ({
  ...{ id: newId('val'), projectId, storyId, verdict: 'passed', method: 'test', evidence: null },
  ...{ tests: [], byKind: 'system', byToken: null, byLabel: null, at: 0, revision: 1 },
  ...{ fingerprint: 'f', deepFingerprint: 'd', transferredFrom: null, note: null, createdAt: 0 },
});

const told = ({ validationsOf, verdictClock }: Verdicts) => ({
  verdictClock,
  of: Object.fromEntries(
    [...validationsOf].sort().map(([id, rows]) => [id, rows.map(({ seq }) => seq)]),
  ),
});

test('what is added to what was known is what all of it gives [PQRS-33]', async () => {
  const { read, write } = instance.evidence.database;
  let projects = 0;
  const story = fc.constantFrom('A', 'B', 'C');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(story, { maxLength: 4 }), { maxLength: 6 }), async (all) => {
      projects += 1;
      const { id } = await instance.makeProject(`verdicts-${projects}`);
      const { id: other } = await instance.makeProject(`others-${projects}`);
      const known: { verdicts: Verdicts; told: object }[] = [];
      for (const stories of all) {
        await write(async (db) => {
          await insertVerdicts(
            db,
            stories.map((storyId) => row(id, storyId)),
          );
          await insertVerdicts(db, [row(other, 'A')]);
        });
        const before = known.at(-1)?.verdicts;
        const verdicts = await loadValidations(read, id, before);
        if (stories.length === 0 && before) expect(verdicts).toBe(before);
        known.push({ verdicts, told: told(verdicts) });
        expect(told(verdicts)).toEqual(told(await loadValidations(read, id)));
      }
      for (const one of known) expect(told(one.verdicts)).toEqual(one.told as never);
    }),
    { numRuns: 25 },
  );
});
