// The bar that long commands draw, and how what they say of their progress reaches it.
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Administration } from '../../src/cli/administration/administration.ts';
import { askServer, serveAdministration } from '../../src/cli/administration/socket.ts';
import { type OnProgress, openProgressBar, type Terminal } from '../../src/cli/progress-bar.ts';
import { Problem } from '../../src/errors.ts';
import { IMPORT_STAGES, seldom } from '../../src/requirements/import/progress.ts';

function terminal(columns?: number): Terminal & { text: string } {
  const written = {
    isTTY: true,
    columns,
    text: '',
    write(text: string) {
      written.text += text;
    },
  };
  return written;
}

/** The lines as they stood on the terminal, one after the other. */
const drawn = (text: string) => text.split('\r\u001b[2K').slice(1);

describe('the bar [PQRS-5]', () => {
  test('is drawn on a terminal only', () => {
    expect(openProgressBar({ write: () => {} }, false)).toBeUndefined();
    expect(openProgressBar({ isTTY: false, write: () => {} }, false)).toBeUndefined();
    expect(openProgressBar(terminal(), true)).toBeUndefined();
    expect(openProgressBar(terminal(), false)).toBeDefined();
  });

  test('grows from stage to stage, names each, and leaves an empty line', () => {
    const on = terminal(100);
    const bar = openProgressBar(on, false);
    for (const stage of IMPORT_STAGES) bar?.show(stage, 1, 2);
    bar?.end();
    bar?.end();
    const lines = drawn(on.text);
    expect(lines.pop()).toBe('');
    expect(lines).toHaveLength(IMPORT_STAGES.length);
    expect(lines[1]).toBe(`[${'#'.repeat(16)}${'-'.repeat(24)}]  40 %  parsing`);
    const shares = lines.map((line) => Number(/(\d+) %/.exec(line)?.[1]));
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
  });

  test('never goes back, and is not drawn for every word', () => {
    const on = terminal(100);
    const bar = openProgressBar(on, false);
    bar?.show('parsing', 9, 10);
    for (let at = 0; at < 1000; at += 1) bar?.show('parsing', at, 1000);
    bar?.show('reading', 0, 0);
    const shares = drawn(on.text).map((line) => Number(/(\d+) %/.exec(line)?.[1]));
    expect(shares.length).toBeLessThan(1002);
    expect([shares[0], shares.at(-1)]).toEqual([64, 69]);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
  });

  test.each([undefined, 0])('is drawn for 80 columns where the terminal tells %p', (columns) => {
    const on = terminal(columns);
    openProgressBar(on, false)?.show('storing', 1, 1);
    expect(on.text).toBe(`\r\u001b[2K[${'#'.repeat(40)}] 100 %  storing`);
  });

  test.each([80, 40, 20, 8, 1])('fits into %d columns', (columns) => {
    const on = terminal(columns);
    const bar = openProgressBar(on, false);
    for (const stage of IMPORT_STAGES) bar?.show(stage, 1, 2);
    for (const line of drawn(on.text)) expect(line.length).toBeLessThan(columns);
  });
});

test('what is told often is passed on seldom, the beginning of a stage always', () => {
  const told: string[] = [];
  const tell = seldom((stage, done) => told.push(`${stage} ${done}`), 60_000);
  for (let done = 0; done < 1000; done += 1) tell('parsing', done, 1000);
  tell('graph', 0, 1);
  tell('graph', 1, 1);
  expect(told).toEqual(['parsing 0', 'graph 0']);
});

describe('over the socket of a running server', () => {
  const report = { project: 'p', revision: 1 } as Awaited<ReturnType<Administration['import']>>;
  const wish = { project: undefined, files: [], mode: 'replace' } as const;
  const import_: Administration['import'] = async (_wish, onProgress) => {
    onProgress?.('parsing', 1, 2);
    await Bun.sleep(5);
    onProgress?.('storing', 1, 1);
    return report;
  };

  const never = (problem: Problem) => {
    throw problem;
  };

  async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'pqrs-bar-'));
    await work(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
  }

  test('progress comes before the answer', () =>
    inFolder(async (folder) => {
      const { stop } = await serveAdministration(
        folder,
        { import: import_ } as Administration,
        never,
      );
      const told: Parameters<OnProgress>[] = [];
      const asked = await askServer(folder, 'import', { ...wish, files: [] }, (...said) => {
        told.push(said);
      });
      expect(asked?.result).toEqual(report);
      expect(told).toEqual([
        ['parsing', 1, 2],
        ['storing', 1, 1],
      ]);
      expect(await askServer(folder, 'import', { ...wish, files: [] })).toEqual({ result: report });
      await stop();
    }));

  test('a refusal is one, with progress and without', () =>
    inFolder(async (folder) => {
      const refuse = async () => {
        throw new Problem('not_found', 'There is no project "x".');
      };
      const { stop } = await serveAdministration(
        folder,
        { import: refuse } as unknown as Administration,
        never,
      );
      for (const onProgress of [undefined, () => {}]) {
        const asked = askServer(folder, 'import', { ...wish, files: [] }, onProgress);
        expect(asked).rejects.toThrow('There is no project "x".');
        await asked.catch(() => {});
      }
      await stop();
    }));

  test('a failure is logged, and its asker is told under which id', () =>
    inFolder(async (folder) => {
      const fail = async () => {
        throw new TypeError('what went wrong');
      };
      const logged: { cause: unknown; requestId: string; operation: string }[] = [];
      const { stop } = await serveAdministration(
        folder,
        { import: fail } as unknown as Administration,
        ({ cause }, requestId, operation) => logged.push({ cause, requestId, operation }),
      );
      for (const onProgress of [undefined, () => {}]) {
        const asked = askServer(folder, 'import', { ...wish, files: [] }, onProgress);
        const error = (await asked.catch((caught) => caught)) as Problem;
        const { cause, requestId, operation } = logged.pop()!;
        expect(error.message).toBe(
          `The service failed; its log names this request id: ${requestId}`,
        );
        expect(operation).toBe('admin import');
        expect(String(cause)).toBe('TypeError: what went wrong');
      }
      expect(logged).toEqual([]);
      await stop();
    }));

  function serve(folder: string, answer: Parameters<typeof createServer>[1]): Promise<Server> {
    const server = createServer(answer);
    return new Promise((done) => {
      server.listen(join(folder, 'admin.sock'), () => done(server));
    });
  }

  test('a server that says nothing of its progress is understood', () =>
    inFolder(async (folder) => {
      const server = await serve(folder, (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(report));
      });
      const asked = await askServer(folder, 'import', { ...wish, files: [] }, () => {});
      expect(asked?.result).toEqual(report);
      server.close();
    }));

  test('a server that ends in the middle is not taken to have answered', () =>
    inFolder(async (folder) => {
      const server = await serve(folder, (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
        response.end('{"progress":["parsing",0,1]}\n');
      });
      const asked = askServer(folder, 'import', { ...wish, files: [] }, () => {});
      expect(asked).rejects.toThrow('before it had answered');
      await asked.catch(() => {});
      server.close();
    }));
});
