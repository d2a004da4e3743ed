// The file store: content arrives whole or not at all, and what a row names is never removed.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { Problem } from '../../src/errors.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import {
  type FileStore,
  HEAD_BYTES,
  keepFile,
  openFileStore,
} from '../../src/store/files/files.ts';
import type { FileIo } from '../../src/store/files/io.ts';

let base: string;
let root: string;
let store: FileStore;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'pqrs-files-'));
  root = join(base, 'files');
  store = await openFileStore(root);
});

afterEach(() => rm(base, { recursive: true, force: true }));

const sha = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
const LIMIT = { limitBytes: 1 << 30 };
const never = async () => false;
const none = async () => new Set<string>();

async function* chunksOf(...chunks: (Uint8Array | string)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

// Everything below the root, folders and the trash left out.
function listing(): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !entry.parentPath.includes('trash'))
    .map((entry) => entry.name)
    .sort();
}

async function add(content: Uint8Array | string): Promise<string> {
  const staged = await store.receive(chunksOf(content), LIMIT);
  await staged.commit();
  staged.release();
  return staged.sha256;
}

async function contentOf(sha256: string, range?: { start: number; end: number }) {
  const pieces: Uint8Array[] = [];
  for await (const chunk of store.read(sha256, range)) pieces.push(chunk);
  return Buffer.concat(pieces);
}

function failing(code: string): Error {
  return Object.assign(new Error(`${code}: /secret/path`), { code });
}

async function caught(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('receive and commit', () => {
  test('put content under its hash, for the owner alone', async () => {
    const staged = await store.receive(chunksOf('hello ', 'world'), LIMIT);
    expect(staged.sha256).toBe(sha('hello world'));
    expect(staged.bytes).toBe(11);
    expect(Buffer.from(staged.head).toString()).toBe('hello world');
    expect(existsSync(store.path(staged.sha256))).toBe(false);
    await staged.commit();
    staged.release();
    const path = join(root, staged.sha256.slice(0, 2), staged.sha256.slice(2, 4), staged.sha256);
    expect(store.path(staged.sha256)).toBe(path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    for (const folder of [root, join(root, 'tmp'), dirname(path), dirname(dirname(path))]) {
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
    }
    expect(listing()).toEqual([staged.sha256]);
    expect(await store.sizeOf(staged.sha256)).toBe(11);
    expect(await store.verify(staged.sha256)).toBe('ok');
    expect((await contentOf(staged.sha256)).toString()).toBe('hello world');
    expect((await contentOf(staged.sha256, { start: 6, end: 8 })).toString()).toBe('wor');
  });

  test('keep any content as it is, however it is cut', async () => {
    const bytes = fc.uint8Array({ maxLength: 9000 });
    await fc.assert(
      fc.asyncProperty(fc.array(bytes, { maxLength: 6 }), async (chunks) => {
        const whole = Buffer.concat(chunks);
        const staged = await store.receive(chunksOf(...chunks), LIMIT);
        expect(staged.sha256).toBe(sha(whole));
        expect(Buffer.from(staged.head).equals(whole.subarray(0, HEAD_BYTES))).toBe(true);
        await staged.commit();
        staged.release();
        expect((await contentOf(staged.sha256)).equals(whole)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test('do not depend on a source that reuses its buffer', async () => {
    async function* reusing() {
      const buffer = new Uint8Array(5000);
      for (const value of [1, 2]) yield buffer.fill(value);
    }
    const staged = await store.receive(reusing(), LIMIT);
    await staged.commit();
    const whole = Buffer.concat([Buffer.alloc(5000, 1), Buffer.alloc(5000, 2)]);
    expect(staged.sha256).toBe(sha(whole));
    expect(staged.head.every((byte) => byte === 1)).toBe(true);
    expect(await store.verify(staged.sha256)).toBe('ok');
  });

  test('store the same content once', async () => {
    const first = await add('same');
    const before = await stat(store.path(first));
    expect(await add('same')).toBe(first);
    expect((await stat(store.path(first))).ino).toBe(before.ino);
    expect(listing()).toEqual([first]);
  });

  test('replace content of the wrong size', async () => {
    const content = await add('whole');
    writeFileSync(store.path(content), 'who');
    expect(await add('whole')).toBe(content);
    expect(await store.verify(content)).toBe('ok');
  });

  test('sync the file before its name, and the folders after', async () => {
    const log: string[] = [];
    const spied = await openFileStore(root, {
      io: {
        async open(path, flags, mode) {
          const handle = await open(path, flags, mode);
          const sync = handle.sync.bind(handle);
          handle.sync = async () => {
            log.push(
              `sync ${path.startsWith(join(root, 'tmp')) ? 'file' : path.slice(base.length)}`,
            );
            await sync();
          };
          return handle;
        },
        async rename(from, to) {
          log.push('rename');
          await rename(from, to);
        },
      },
    });
    log.length = 0;
    const staged = await spied.receive(chunksOf('x'), LIMIT);
    await staged.commit();
    const [a, b] = [staged.sha256.slice(0, 2), staged.sha256.slice(2, 4)];
    const folders = ['sync /files', `sync /files/${a}`];
    // The bytes first of all, or the name could outlive them.
    expect(log).toEqual(['sync file', ...folders, 'rename', `sync /files/${a}/${b}`]);
    log.length = 0;
    const again = await spied.receive(chunksOf('x'), LIMIT);
    await again.commit();
    expect(log).toEqual(['sync file', `sync /files/${a}/${b}`]);
  });

  test('release what was committed once; what was dropped cannot be committed', async () => {
    const staged = await store.receive(chunksOf('x'), LIMIT);
    await staged.commit();
    staged.release();
    staged.release();
    await staged.discard();
    expect(listing()).toEqual([staged.sha256]);
    const dropped = await store.receive(chunksOf('y'), LIMIT);
    await dropped.discard();
    await dropped.discard();
    expect(await caught(dropped.commit())).toBeInstanceOf(Error);
    expect(listing()).toEqual([staged.sha256]);
  });
});

describe('what fails leaves nothing [PQRS-60]', () => {
  test('too large', async () => {
    let cancelled = false;
    async function* endless() {
      try {
        for (;;) yield new Uint8Array(1000);
      } finally {
        cancelled = true;
      }
    }
    const error = await caught(store.receive(endless(), { limitBytes: 4500 }));
    expect(error).toMatchObject({ code: 'too_large' });
    expect(cancelled).toBe(true);
    expect(listing()).toEqual([]);
    const exact = await store.receive(chunksOf(new Uint8Array(4500)), { limitBytes: 4500 });
    expect(exact.bytes).toBe(4500);
    await exact.discard();
    expect(listing()).toEqual([]);
  });

  test('a source that fails, with its error as the cause', async () => {
    const reset = failing('ECONNRESET');
    async function* broken() {
      yield Buffer.from('abc');
      throw reset;
    }
    const error = await caught(store.receive(broken(), LIMIT));
    expect(error).toMatchObject({ code: 'malformed_body' });
    expect((error as Error).cause).toBe(reset);
    expect((error as Error).message).not.toContain('secret');
    expect(listing()).toEqual([]);
  });

  test('a source whose error is a problem of its own: that error', async () => {
    const problem = new Problem('timeout', 'It came too slowly.');
    async function* broken() {
      yield Buffer.from('abc');
      throw problem;
    }
    expect(await caught(store.receive(broken(), LIMIT))).toBe(problem);
    expect(listing()).toEqual([]);
  });

  const broken: [string, (code: string) => Partial<FileIo>][] = [
    ['opening', (code) => ({ open: async () => Promise.reject(failing(code)) })],
    ['writing', (code) => ({ open: brokenHandle('write', code) })],
    ['syncing', (code) => ({ open: brokenHandle('sync', code) })],
    ['making a folder', (code) => ({ mkdir: async () => Promise.reject(failing(code)) })],
    ['renaming', (code) => ({ rename: async () => Promise.reject(failing(code)) })],
  ];
  const cases = broken.flatMap(([what, io]) =>
    ['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'EIO'].map((code) => [code, what, io] as const),
  );
  test.each(cases)('%s while %s', async (code, _, io) => {
    let on = false;
    const real = { open, rename };
    const faulty = io(code);
    // The fault begins after the store was opened.
    const switched: Partial<FileIo> = Object.fromEntries(
      Object.entries(faulty).map(([name, call]) => [
        name,
        (...given: never[]) => {
          const healthy = name === 'mkdir' ? mkdirSync : Reflect.get(real, name);
          return on ? Reflect.apply(call, faulty, given) : Reflect.apply(healthy, real, given);
        },
      ]),
    );
    rmSync(root, { recursive: true });
    const sick = await openFileStore(root, { io: switched });
    on = true;
    const written = chunksOf('some', 'content');
    const error = await caught(
      sick.receive(written, LIMIT).then((staged) =>
        keepFile(sick, staged, never, async () => {
          throw new Error('the row must not be written');
        }),
      ),
    );
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect((error as Error).cause).toMatchObject({ code });
    expect((error as Error).message).not.toContain('secret');
    expect(listing()).toEqual([]);
    on = false;
    const staged = await sick.receive(chunksOf('fine'), LIMIT);
    await staged.commit();
    expect(listing()).toEqual([staged.sha256]);
  });

  test('a disk under its floor, at the start and on the way', async () => {
    let free = 100;
    const statfs = async () => ({ bavail: free, bsize: 1_000_000 });
    const tight = await openFileStore(root, { freeFloorBytes: 60_000_000, io: { statfs } });
    async function* filling() {
      for (let i = 0; i < 40; i++) {
        free -= 1;
        yield new Uint8Array(1024 * 1024);
      }
    }
    const started = tight.receive(filling(), LIMIT);
    const staged = await started;
    await staged.discard();
    expect(free).toBe(60);
    free = 70;
    const error = await caught(tight.receive(filling(), LIMIT));
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(free).toBe(54);
    const pulled = free;
    expect(await caught(tight.receive(filling(), LIMIT))).toBeInstanceOf(StoreUnavailable);
    expect(free).toBe(pulled);
    expect(await tight.freeBytes()).toBe(54_000_000);
    expect(listing()).toEqual([]);
  });

  test('a crash: the temporary folder is empty after the next start', async () => {
    const kept = await add('kept');
    await store.receive(chunksOf('lost'), LIMIT);
    mkdirSync(join(root, 'tmp', 'folder'));
    expect(listing()).toHaveLength(2);
    // What is forgotten costs no descriptor, so nothing happens when it is collected.
    Bun.gc(true);
    await Bun.sleep(5);
    store = await openFileStore(root);
    expect(listing()).toEqual([kept]);
    expect(readdirSync(join(root, 'tmp'))).toEqual([]);
  });

  test('a row that fails takes its file along, unless another row names it', async () => {
    const row = new Error('no row');
    const failed = async (isReferenced: () => Promise<boolean>) => {
      const staged = await store.receive(chunksOf('x'), LIMIT);
      return caught(keepFile(store, staged, isReferenced, () => Promise.reject(row)));
    };
    expect(await failed(never)).toBe(row);
    expect(listing()).toEqual([]);
    expect(await failed(async () => true)).toBe(row);
    expect(listing()).toEqual([sha('x')]);
    const staged = await store.receive(chunksOf('y'), LIMIT);
    expect(await keepFile(store, staged, never, async () => 'id')).toBe('id');
    expect(await store.remove(sha('y'), never)).toBe(true);
  });

  test('a temporary folder that is a link is not emptied', async () => {
    const elsewhere = join(base, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'precious'), 'x');
    rmSync(join(root, 'tmp'), { recursive: true });
    symlinkSync(elsewhere, join(root, 'tmp'));
    expect(await caught(openFileStore(root))).toBeInstanceOf(Error);
    expect(readdirSync(elsewhere)).toEqual(['precious']);
  });
});

function brokenHandle(method: 'write' | 'sync', code: string): FileIo['open'] {
  return async (path, flags, mode) => {
    const handle: FileHandle = await open(path, flags, mode);
    handle[method] = async () => Promise.reject(failing(code));
    return handle;
  };
}

describe('remove', () => {
  test('takes what no row names, leaves what one names or a caller holds', async () => {
    const content = await add('x');
    expect(await store.remove(content, async () => true)).toBe(false);
    const staged = await store.receive(chunksOf('x'), LIMIT);
    await staged.commit();
    expect(await store.remove(content, never)).toBe(false);
    staged.release();
    expect(await store.remove(content, never)).toBe(true);
    expect(await store.remove(content, never)).toBe(false);
    expect(await store.sizeOf(content)).toBeUndefined();
    expect(await store.verify(content)).toBe('missing');
  });

  test('two holders of one content both have to let go', async () => {
    const [one, two] = await Promise.all([
      store.receive(chunksOf('x'), LIMIT),
      store.receive(chunksOf('x'), LIMIT),
    ]);
    await Promise.all([one.commit(), two.commit()]);
    one.release();
    one.release();
    expect(await store.remove(one.sha256, never)).toBe(false);
    two.release();
    expect(await store.remove(one.sha256, never)).toBe(true);
  });

  test.each(['', '..', '../../../etc/passwd', 'A'.repeat(64), `${'a'.repeat(64)}\n`])(
    'knows that %p is no hash',
    (name) => {
      expect(() => store.path(name)).toThrow(TypeError);
      expect(() => store.remove(name, never)).toThrow(TypeError);
    },
  );

  test('a commit that comes while a removal asks keeps its content', async () => {
    const content = await add('x');
    const staged = await store.receive(chunksOf('x'), LIMIT);
    let committed: Promise<void> | undefined;
    const asked = async () => {
      committed = staged.commit();
      await Bun.sleep(20);
      return false;
    };
    expect(await store.remove(content, asked)).toBe(false);
    await committed;
    expect(await store.verify(content)).toBe('ok');
  });

  test('a commit that comes while the content is being unlinked puts it back', async () => {
    let unlinking = false;
    const content = await add('x');
    const slow = await openFileStore(root, {
      io: {
        async unlink(path) {
          if (path.endsWith(content)) {
            unlinking = true;
            await Bun.sleep(20);
          }
          await rm(path);
        },
      },
    });
    const staged = await slow.receive(chunksOf('x'), LIMIT);
    const removing = slow.remove(content, never);
    while (!unlinking) await Bun.sleep(1);
    await staged.commit();
    expect(await removing).toBe(true);
    expect(await slow.verify(content)).toBe('ok');
  });
});

describe('sweep', () => {
  const DAY_MS = 24 * 3600 * 1000;
  const past = new Date(Date.now() - 60_000);
  const anyAge = { minAgeMs: 0 };

  function trash(): string[] {
    const folder = join(root, 'trash');
    return existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String).sort() : [];
  }

  test('moves what no row names to the trash, and leaves what is not ours', async () => {
    const [kept, gone] = [await add('kept'), await add('gone')];
    writeFileSync(join(root, 'note.txt'), 'x');
    mkdirSync(join(root, 'lost+found'));
    writeFileSync(join(dirname(store.path(kept)), `${kept}.bak`), 'x');
    mkdirSync(join(root, kept.slice(0, 2), 'ff', 'f'.repeat(64)), { recursive: true });
    writeFileSync(join(root, kept.slice(0, 2), 'zz'), 'x');
    await Bun.sleep(15);
    const before = listing().length;
    writeFileSync(join(root, 'folder.id'), 'x');
    const keep = async (shas: string[]) => new Set(shas.filter((s) => s === kept));
    const now = Date.now();
    const result = await store.sweep(keep, { ...anyAge, now });
    expect(result).toMatchObject({ files: 2, unused: 1, moved: 1, bytes: 4, isStopped: false });
    const day = new Date(now).toISOString().slice(0, 10);
    expect(trash()).toEqual([day, join(day, gone)]);
    expect(existsSync(store.path(gone))).toBe(false);
    // Less the one that is gone, and with the id.
    expect(listing()).toHaveLength(before);
    // What is wanted again is stored anew.
    expect(await add('gone')).toBe(gone);
    expect(await store.verify(gone)).toBe('ok');
    expect(await store.sweep(keep, { ...anyAge, now: now + 7 * DAY_MS })).toMatchObject({
      moved: 1,
    });
    expect(trash()).toContain(join(day, gone));
    await store.sweep(keep, { now: Date.parse(day) + 8 * DAY_MS });
    expect(trash()).not.toContain(day);
    expect(trash()).toHaveLength(2);
  });

  test('leaves what is younger than a day', async () => {
    const young = await add('young');
    expect(await store.sweep(none)).toMatchObject({ files: 1, unused: 0, moved: 0 });
    // The time of the name counts too: a copy may have kept that of its content.
    await utimes(store.path(young), new Date(0), new Date(0));
    expect(await store.sweep(none, { now: Date.now() + DAY_MS - 1000 })).toMatchObject({
      moved: 0,
    });
    expect(await store.sweep(none, { now: Date.now() + DAY_MS + 1000 })).toMatchObject({
      moved: 1,
    });
  });

  test.each([
    [100, 100, false],
    [101, 101, true],
    [101, 2020, false],
    [102, 2020, true],
  ])('of %p of %p files stops: %p', async (unused, files, isStopped) => {
    const stored = Array.from({ length: files }, (_, index) => sha(`${index}`));
    for (const name of stored) {
      mkdirSync(dirname(store.path(name)), { recursive: true });
      writeFileSync(store.path(name), 'x');
    }
    await Bun.sleep(15);
    const rows = new Set(stored.slice(unused));
    const named = async (shas: string[]) => new Set(shas.filter((s) => rows.has(s)));
    const result = await store.sweep(named, anyAge);
    expect(result).toMatchObject({ files, unused, isStopped, moved: isStopped ? 0 : unused });
    if (!isStopped) return;
    expect(listing()).toHaveLength(files);
    const forced = await store.sweep(named, { ...anyAge, force: true });
    expect(forced).toMatchObject({ isStopped: false, moved: unused });
    expect(listing()).toHaveLength(files - unused);
  });

  test('leaves what is pinned, on its way, or came after it began', async () => {
    const staged = await store.receive(chunksOf('pinned'), LIMIT);
    await staged.commit();
    const waiting = await store.receive(chunksOf('waiting'), LIMIT);
    await utimes(store.path(staged.sha256), past, past);
    await Bun.sleep(15);
    let late: string | undefined;
    const result = await store.sweep(async () => {
      late ??= await add('late');
      return new Set<string>();
    }, anyAge);
    expect(result.moved).toBe(0);
    const next = await store.sweep(none, anyAge);
    expect(next.moved).toBe(1);
    expect(existsSync(store.path(late!))).toBe(false);
    await waiting.commit();
    expect(listing()).toEqual([staged.sha256, waiting.sha256].sort());
  });

  test('asks again before it removes', async () => {
    const content = await add('x');
    await Bun.sleep(15);
    const rows = new Set<string>();
    const result = await store.sweep(async (shas) => {
      const named = new Set(shas.filter((s) => rows.has(s)));
      // A row comes right after the answer, with content that is there already.
      rows.add(content);
      return named;
    }, anyAge);
    expect(result).toMatchObject({ unused: 1, moved: 0 });
    expect(await store.verify(content)).toBe('ok');
  });

  test('asks in batches and lets others run', async () => {
    for (let i = 0; i < 1200; i++) {
      const name = sha(`${i}`);
      mkdirSync(dirname(store.path(name)), { recursive: true });
      writeFileSync(store.path(name), 'x');
    }
    await Bun.sleep(15);
    const batches: number[] = [];
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const result = await store.sweep(async (shas) => {
      batches.push(shas.length);
      return new Set(shas);
    }, anyAge);
    clearInterval(timer);
    expect(result).toMatchObject({ files: 1200, unused: 0, moved: 0 });
    expect(batches).toEqual([500, 500, 200]);
    expect(turns).toBeGreaterThan(0);
  });
});

test('concurrent uploads, removals and sweeps of few contents never lose a named file [PQRS-84]', async () => {
  const contents = ['a', 'b', 'c'];
  const step = fc.record({
    what: fc.constantFrom('upload', 'upload', 'fail', 'delete', 'sweep'),
    content: fc.constantFrom(...contents),
    delay: fc.nat(3),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      rmSync(root, { recursive: true });
      store = await openFileStore(root);
      // Rows by content: how many name it.
      const rows = new Map<string, number>();
      const isReferenced = async (sha256: string) => {
        await Bun.sleep(1);
        return (rows.get(sha256) ?? 0) > 0;
      };
      const change = (sha256: string, by: number) => rows.set(sha256, (rows.get(sha256) ?? 0) + by);
      const run = async ({ what, content, delay }: (typeof steps)[number]) => {
        await Bun.sleep(delay);
        const sha256 = sha(content);
        if (what === 'sweep') {
          await store.sweep(
            async (shas) => {
              const named = new Set(shas.filter((s) => (rows.get(s) ?? 0) > 0));
              await Bun.sleep(delay);
              return named;
            },
            { minAgeMs: 0 },
          );
        } else if (what === 'delete') {
          if ((rows.get(sha256) ?? 0) > 0) change(sha256, -1);
          await store.remove(sha256, isReferenced);
        } else {
          const staged = await store.receive(chunksOf(content), LIMIT);
          const write = async () => {
            await Bun.sleep(1);
            if (what === 'fail') throw new Error('no row');
            change(sha256, 1);
          };
          await keepFile(store, staged, isReferenced, write).catch(() => undefined);
        }
        for (const [name, count] of rows) {
          if (count > 0) expect(await store.verify(name)).toBe('ok');
        }
      };
      await Promise.all(steps.map(run));
      const named = [...rows].filter(([, count]) => count > 0).map(([name]) => name);
      await Bun.sleep(10);
      await store.sweep(async (shas) => new Set(shas.filter((s) => named.includes(s))), {
        minAgeMs: 0,
      });
      expect(listing()).toEqual(named.sort());
    }),
    { numRuns: 25 },
  );
}, 60_000);

test('a large file takes little memory and does not hold the event loop', async () => {
  const chunk = randomBytes(64 * 1024);
  let live = 0;
  async function* generated() {
    for (let i = 0; i < 4096; i++) {
      live++;
      yield i % 64 === 0 ? Buffer.from(chunk) : chunk;
    }
  }
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let peak = before;
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  const staged = await store.receive(generated(), LIMIT);
  await staged.commit();
  clearInterval(timer);
  const grown = (peak - before) / 2 ** 20;
  console.log(`256 MiB: +${grown.toFixed(1)} MiB, longest turn ${longest.toFixed(0)} ms`);
  expect(live).toBe(4096);
  expect(staged.bytes).toBe(256 * 2 ** 20);
  expect(grown).toBeLessThan(64);
  expect(longest).toBeLessThan(1000);
}, 60_000);

test('it reads from the source only as fast as it writes', async () => {
  let pulled = 0;
  let writing = 0;
  const slow = await openFileStore(root, {
    io: {
      async open(path, flags, mode) {
        const handle = await open(path, flags, mode);
        const write = handle.write.bind(handle) as (...given: unknown[]) => Promise<never>;
        handle.write = async (...given: unknown[]) => {
          writing++;
          await Bun.sleep(2);
          expect(pulled - writing).toBeLessThanOrEqual(0);
          return write(...given);
        };
        return handle;
      },
    },
  });
  async function* counted() {
    for (; pulled < 50; ) {
      pulled++;
      yield new Uint8Array(1000);
    }
  }
  const staged = await slow.receive(counted(), LIMIT);
  expect(writing).toBe(50);
  await staged.discard();
});

describe('probe', () => {
  test('gives milliseconds and leaves nothing', async () => {
    expect(await store.probe()).toBeGreaterThan(0);
    expect(listing()).toEqual([]);
    expect(await store.freeBytes()).toBeGreaterThan(0);
  });

  test('says that storage is away', async () => {
    let on = false;
    const sick = await openFileStore(root, {
      io: { open: (...given) => (on ? brokenHandle('sync', 'EIO') : open)(...given) },
    });
    on = true;
    expect(await caught(sick.probe())).toBeInstanceOf(StoreUnavailable);
    expect(listing()).toEqual([]);
    rmSync(root, { recursive: true });
    expect(await caught(store.probe())).toBeInstanceOf(StoreUnavailable);
  });
});
