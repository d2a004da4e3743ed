// Keys of requests that are made of what sources hold.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { CommandBody } from '../../src/agents/commands/model.ts';
import { freeKey } from '../../src/assurance/workflow/actions.ts';
import { MAX_ID_LENGTH } from '../../src/limits.ts';
import { compileCheck, refuseUnstorable } from '../../src/model/validate.ts';
import { idFault } from '../../src/requirements/sources/item-ids.ts';

const checkCommand = compileCheck(CommandBody);

const unit = fc.oneof(
  fc.constantFrom(...' /,#%\u00a0\u2028\ufeff\u200b'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);
const usableIds = fc
  .oneof(
    fc.string({ unit, minLength: 1, maxLength: 40 }),
    fc.string({ unit, minLength: 250, maxLength: MAX_ID_LENGTH }),
  )
  .filter((id) => idFault(id) === undefined);

describe('a request that names a story by its id [PQRS-22]', () => {
  test('has a key that can be kept, whatever the id', () => {
    fc.assert(
      fc.property(usableIds, (id) => {
        for (const isTaken of [() => false, (key: string) => !key.endsWith(' 12')]) {
          const key = freeKey(`verify ${id}`, isTaken);
          expect(key.length).toBeLessThanOrEqual(300);
          const command = { key, kind: 'manual', storyIds: [id] };
          checkCommand(command);
          refuseUnstorable([command]);
        }
      }),
    );
  });
});
