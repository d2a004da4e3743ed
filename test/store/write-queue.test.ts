// Writes that share a commit: none answered before it, none half done, none lost.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createWriteQueue, type TransactionControl } from '../../src/store/client/write-queue.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';

/** A connection that keeps a list of values, as a database does: what is not committed may go. */
function fakeConnection(failing: { begin?: () => boolean; commit?: () => boolean } = {}) {
  let committed: number[] = [];
  let open: number[] | undefined;
  let saved: number[] = [];
  const commits: number[] = [];
  const control: TransactionControl = {
    begin() {
      if (failing.begin?.()) throw new Error('begin failed');
      if (open) throw new Error('there is a transaction already');
      open = [...committed];
    },
    commit() {
      if (!open) throw new Error('there is no transaction');
      if (failing.commit?.()) throw new Error('commit failed');
      commits.push(open.length - committed.length);
      committed = open;
      open = undefined;
    },
    rollback() {
      open = undefined;
    },
    savepoint() {
      saved = [...(open ?? [])];
    },
    release() {},
    rollbackToSavepoint() {
      open = saved;
    },
    inTransaction: () => open !== undefined,
  };
  return {
    control,
    commits,
    committed: () => committed,
    add(value: number) {
      if (!open) throw new Error('a write outside a transaction');
      open.push(value);
    },
    /** As a full disk does. */
    loseTransaction() {
      open = undefined;
    },
  };
}

const settled = (promises: Promise<unknown>[]) =>
  Promise.all(
    promises.map((one) =>
      one.then(
        () => 'done',
        (error: Error) => error,
      ),
    ),
  );

describe('writes of one turn', () => {
  test('share a commit and are answered after it', async () => {
    const connection = fakeConnection();
    const queue = createWriteQueue(connection.control, 100);
    const seen: number[][] = [];
    const writes = [1, 2, 3].map((value) =>
      queue
        .write(async () => connection.add(value))
        .then(() => seen.push([...connection.committed()])),
    );
    expect(connection.committed()).toEqual([]);
    await Promise.all(writes);
    expect(connection.commits).toEqual([3]);
    expect(seen).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  test('give back what their work gave', async () => {
    const queue = createWriteQueue(fakeConnection().control, 100);
    expect(await Promise.all([queue.write(async () => 'a'), queue.write(async () => 2)])).toEqual([
      'a',
      2,
    ]);
  });

  test('are so many to a commit at most', async () => {
    const connection = fakeConnection();
    const queue = createWriteQueue(connection.control, 2);
    await Promise.all(
      [1, 2, 3, 4, 5].map((value) => queue.write(async () => connection.add(value))),
    );
    expect(connection.commits).toEqual([2, 2, 1]);
    expect(connection.committed()).toEqual([1, 2, 3, 4, 5]);
  });

  test('run one after the other, however long one takes', async () => {
    const connection = fakeConnection();
    const queue = createWriteQueue(connection.control, 100);
    let inside = 0;
    const work = async (value: number) => {
      inside += 1;
      expect(inside).toBe(1);
      await Bun.sleep(value % 3);
      connection.add(value);
      inside -= 1;
    };
    await Promise.all([...Array(10)].map((_, value) => queue.write(() => work(value))));
    expect(connection.committed()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});

describe('a write that fails', () => {
  test('takes back its own work alone', async () => {
    const connection = fakeConnection();
    const queue = createWriteQueue(connection.control, 100);
    const outcomes = await settled(
      [1, 2, 3].map((value) =>
        queue.write(async () => {
          connection.add(value);
          if (value === 2) throw new RangeError('no');
        }),
      ),
    );
    expect(outcomes).toEqual(['done', new RangeError('no'), 'done']);
    expect(connection.committed()).toEqual([1, 3]);
  });

  for (const step of ['begin', 'commit'] as const) {
    test(`at its ${step} is unavailable, with all that shared it, and the next one is tried anew`, async () => {
      let broken = true;
      const connection = fakeConnection({ [step]: () => broken });
      const queue = createWriteQueue(connection.control, 100);
      const outcomes = await settled(
        [1, 2].map((value) => queue.write(async () => connection.add(value))),
      );
      for (const outcome of outcomes) expect(outcome).toBeInstanceOf(StoreUnavailable);
      expect(connection.committed()).toEqual([]);
      broken = false;
      await queue.write(async () => connection.add(3));
      expect(connection.committed()).toEqual([3]);
    });
  }

  test('because the database gave the transaction up is unavailable, with all that shared it', async () => {
    const connection = fakeConnection();
    const queue = createWriteQueue(connection.control, 100);
    const outcomes = await settled(
      [1, 2, 3].map((value) =>
        queue.write(async () => {
          connection.add(value);
          if (value !== 2) return;
          connection.loseTransaction();
          throw new Error('disk full');
        }),
      ),
    );
    for (const outcome of outcomes) expect(outcome).toBeInstanceOf(StoreUnavailable);
    expect(connection.committed()).toEqual([]);
    await queue.write(async () => connection.add(4));
    expect(connection.committed()).toEqual([4]);
  });
});

describe('after the commit', () => {
  test('listeners are called in order, before the caller goes on, and none of a write that is undone', async () => {
    const connection = fakeConnection();
    const queue = createWriteQueue(connection.control, 100);
    const calls: string[] = [];
    const write = (name: string, fails = false) =>
      queue
        .write(async () => {
          queue.afterCommit(() => calls.push(`${name} ${connection.commits.length}`));
          if (fails) throw new Error('no');
        })
        .then(() => calls.push(`answer ${name}`));
    await settled([write('a'), write('b', true), write('c')]);
    expect(calls).toEqual(['a 1', 'c 1', 'answer a', 'answer c']);
    expect(() => queue.afterCommit(() => {})).toThrow('no write is running');
  });

  test('none is called where the commit fails', async () => {
    const connection = fakeConnection({ commit: () => true });
    const queue = createWriteQueue(connection.control, 100);
    let calls = 0;
    await settled([queue.write(async () => queue.afterCommit(() => (calls += 1)))]);
    expect(calls).toBe(0);
  });

  test('a listener that fails is the error of its write, which stays committed', async () => {
    const connection = fakeConnection();
    const queue = createWriteQueue(connection.control, 100);
    const outcomes = await settled([
      queue.write(async () => {
        connection.add(1);
        queue.afterCommit(() => {
          throw new RangeError('listener');
        });
      }),
      queue.write(async () => connection.add(2)),
    ]);
    expect(outcomes).toEqual([new RangeError('listener'), 'done']);
    expect(connection.committed()).toEqual([1, 2]);
  });
});

describe('closing', () => {
  test('waits for what was asked for, and refuses what comes after', async () => {
    const connection = fakeConnection();
    const queue = createWriteQueue(connection.control, 1);
    const writes = [1, 2, 3].map((value) => queue.write(async () => connection.add(value)));
    await queue.close();
    expect(connection.committed()).toEqual([1, 2, 3]);
    await Promise.all(writes);
    expect((await settled([queue.write(async () => connection.add(4))]))[0]).toBeInstanceOf(
      StoreUnavailable,
    );
    expect(connection.committed()).toEqual([1, 2, 3]);
  });
});

test('whatever fails and when: what is answered as done is committed, once and in order, and nothing else is [PQRS-84]', async () => {
  const step = fc.record({
    value: fc.nat(),
    fails: fc.boolean(),
    loses: fc.boolean(),
    wait: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 15 }),
      fc.infiniteStream(fc.nat(5)),
      fc.integer({ min: 1, max: 5 }),
      async (steps, luck, perCommit) => {
        const unlucky = () => luck.next().value === 0;
        const connection = fakeConnection({ begin: unlucky, commit: unlucky });
        const queue = createWriteQueue(connection.control, perCommit);
        const outcomes: Promise<number | undefined>[] = [];
        for (const { value, fails, loses, wait } of steps) {
          const work = async () => {
            connection.add(value);
            if (loses && unlucky()) connection.loseTransaction();
            if (fails || (loses && !connection.control.inTransaction())) throw new Error('failed');
            return value;
          };
          outcomes.push(queue.write(work).catch(() => undefined));
          if (wait) await new Promise((next) => setImmediate(next));
        }
        const done = (await Promise.all(outcomes)).filter((value) => value !== undefined);
        await queue.close();
        expect(connection.committed()).toEqual(done);
      },
    ),
    { numRuns: 200 },
  );
});

describe('writes on a connection that counts its writing statements', () => {
  function countingConnection() {
    const connection = fakeConnection();
    let writes = 0;
    let savepoints = 0;
    const { savepoint } = connection.control;
    connection.control.writes = () => writes;
    connection.control.savepoint = () => {
      savepoints += 1;
      return savepoint();
    };
    return {
      ...connection,
      add(value: number) {
        writes += 1;
        connection.add(value);
      },
      savepoints: () => savepoints,
    };
  }

  test('need no savepoint while none has to be undone', async () => {
    const connection = countingConnection();
    const { write } = createWriteQueue(connection.control, 100);
    const results = await settled([
      write(async () => connection.add(1)),
      write(async () => {
        throw new Error('refused before it wrote');
      }),
      write(async () => connection.add(2)),
    ]);
    expect(results.map(String)).toEqual(['done', 'Error: refused before it wrote', 'done']);
    expect(connection.committed()).toEqual([1, 2]);
    expect(connection.savepoints()).toBe(0);
    expect(connection.commits).toEqual([2]);
  });

  test('are each there once, or not at all where they fail, whatever fails when', async () => {
    const job = fc.record({
      values: fc.array(fc.nat(9), { maxLength: 3 }),
      failsAfter: fc.option(fc.nat(3)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(job, { minLength: 1, maxLength: 8 }), async (jobs) => {
        const connection = countingConnection();
        const { write } = createWriteQueue(connection.control, 100);
        const results = await settled(
          jobs.map(({ values, failsAfter }, at) =>
            write(async () => {
              for (const [index, value] of values.entries()) {
                if (failsAfter === index) throw new Error('failed on its way');
                connection.add(at * 100 + value);
              }
              if (failsAfter !== null && failsAfter >= values.length)
                throw new Error('failed at its end');
            }),
          ),
        );
        const good = jobs.flatMap(({ values, failsAfter }, at) =>
          failsAfter === null ? values.map((value) => at * 100 + value) : [],
        );
        expect(connection.committed()).toEqual(good);
        expect(results.map((result) => result === 'done')).toEqual(
          jobs.map(({ failsAfter }) => failsAfter === null),
        );
        expect(connection.commits).toHaveLength(1);
      }),
    );
  });
});
