// Work that is begun anew where something overtook it.
import { describe, expect, test } from 'bun:test';
import { Problem } from '../../src/errors.ts';
import { retryOnConflict, serialized, WriteConflict } from '../../src/model/write-conflict.ts';

/** Is overtaken so often, then done; tells how often it was begun. */
function overtaken(times: number) {
  let begun = 0;
  return async () => {
    begun += 1;
    if (begun <= times) throw new WriteConflict('so it was');
    return begun;
  };
}

describe('work that may be overtaken', () => {
  test('is begun anew until nothing comes between', async () => {
    expect(await retryOnConflict(overtaken(0))).toBe(1);
    expect(await retryOnConflict(overtaken(5))).toBe(6);
  });

  test('is to be tried later where there is no end to it', async () => {
    const error = await retryOnConflict(overtaken(6)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Problem);
    expect(error).toMatchObject({ code: 'unavailable', status: 503 });
  });

  test('waits for its turn once it has been overtaken, and not before', async () => {
    const turns: string[] = [];
    const alone = async <T>(work: () => Promise<T>) => {
      turns.push('alone');
      return work();
    };
    expect(await serialized(alone, overtaken(0))).toBe(1);
    expect(turns).toEqual([]);
    expect(await serialized(alone, overtaken(3))).toBe(4);
    expect(turns).toEqual(['alone']);
  });

  test('ends where it fails for another reason', async () => {
    const failing = async () => {
      throw new Error('no');
    };
    await expect(retryOnConflict(failing)).rejects.toThrow('no');
    await expect(serialized((work) => work(), failing)).rejects.toThrow('no');
  });
});
