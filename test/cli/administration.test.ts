// Where an operation of the administration is run: over the socket of a running server, or here; and what
// becomes of it when the server ends.
import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Administration } from '../../src/cli/administration/administration.ts';
import { runAdministration } from '../../src/cli/administration/run.ts';
import { askServer, serveAdministration } from '../../src/cli/administration/socket.ts';
import { CommandFailed, type OnProgress } from '../../src/cli/command.ts';
import { readConfig } from '../../src/config.ts';
import { Problem } from '../../src/errors.ts';
import { takeLock } from '../../src/store/client/embedded.ts';
import { FolderInUse } from '../../src/store/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const input = { project: undefined, files: [], mode: 'replace' as const };
const unlogged = () => {};

function serveImport(folder: string, run: Administration['import'], report = unlogged) {
  return serveAdministration(folder, { import: run } as Administration, report);
}

/** An import that takes until it is told to end. */
function slowImport() {
  const report = { project: 'p', revision: 1 };
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const run = (async () => {
    begin();
    await ended;
    return report;
  }) as unknown as Administration['import'];
  return { run, begun, end, report };
}

describe('the socket of a running server', () => {
  test('progress comes before the answer', async () => {
    const folder = temporaryFolder('progress');
    const report = { project: 'p', revision: 1 } as never;
    const { stop } = await serveImport(folder, async (_: unknown, onProgress?: OnProgress) => {
      onProgress?.('reading', 1, 2);
      await Bun.sleep(5);
      onProgress?.('storing', 1, 1);
      return report;
    });
    const seen: Parameters<OnProgress>[] = [];
    const asked = await askServer(folder, 'import', input, (...progress) => seen.push(progress));
    expect(asked?.result).toEqual(report);
    expect(seen).toEqual([
      ['reading', 1, 2],
      ['storing', 1, 1],
    ]);
    stop();
  });

  test('a refusal is thrown as it was, and a failure is logged under the id that is answered', async () => {
    const folder = temporaryFolder('refused');
    const failures: unknown[] = [new Problem('not_found', 'No project.'), new TypeError('why')];
    const logged: Parameters<Parameters<typeof serveAdministration>[2]>[] = [];
    const { stop } = await serveAdministration(
      folder,
      { import: async () => Promise.reject(failures.shift()) } as unknown as Administration,
      (...failure) => logged.push(failure),
    );
    const ask = () => askServer(folder, 'import', input).catch((error) => error);
    expect(await ask()).toMatchObject({ code: 'not_found', message: 'No project.' });
    const failed = (await ask()) as Problem;
    expect(logged).toHaveLength(1);
    const [problem, requestId, operation] = logged[0]!;
    expect(failed).toMatchObject({ code: 'internal', message: expect.stringContaining(requestId) });
    expect(operation).toBe('admin import');
    expect(String(problem.cause)).toBe('TypeError: why');
    stop();
  });

  test('an answer that is cut off is none', async () => {
    const folder = temporaryFolder('half');
    const server = createServer((_request, response) => {
      response.write('{"progress":["parsing",0,1]}\n{"result":');
      setTimeout(() => response.destroy(), 20);
    });
    await new Promise<void>((done) => server.listen(join(folder, 'admin.sock'), done));
    const asked = askServer(folder, 'project list', {}).catch((error) => error);
    expect(await asked).toBeInstanceOf(CommandFailed);
    server.close();
  });
});

describe('a server that stops [PQRS-82]', () => {
  test('lets a command under way end, and is found by no further one', async () => {
    const folder = temporaryFolder('draining');
    const { run, begun, end, report } = slowImport();
    const socket = await serveImport(folder, run);
    const asked = askServer(folder, 'import', input);
    await begun;
    let drained = false;
    const draining = socket.drain(10_000).then(() => {
      drained = true;
    });
    expect(existsSync(join(folder, 'admin.sock'))).toBe(false);
    expect(await askServer(folder, 'import', input)).toBeUndefined();
    await Bun.sleep(60);
    expect(drained).toBe(false);
    end();
    await draining;
    socket.stop();
    expect(await asked).toEqual({ result: report as never });
  });

  test('cuts off what takes longer, which is said', async () => {
    const folder = temporaryFolder('cut-off');
    const { run, begun } = slowImport();
    const socket = await serveImport(folder, run);
    const asked = askServer(folder, 'import', input).catch((error) => error);
    await begun;
    await socket.drain(50);
    socket.stop();
    expect(await asked).toBeInstanceOf(CommandFailed);
  });
});

describe('a data folder in use', () => {
  const list = { project: undefined };

  function locked(name: string) {
    const folder = temporaryFolder(name);
    const release = takeLock(join(folder, 'lock.db'));
    const config = readConfig({ flags: { 'data-dir': folder }, environment: {}, folder });
    return { folder, release, call: { config } };
  }

  // A server that takes its time to end is in test/long/drain.campaign.ts.
  test('is waited for, until it can be asked or is free', async () => {
    const { folder, release, call } = locked('starting');
    const listed = runAdministration(call, 'token list', list);
    await Bun.sleep(100);
    const administration = { 'token list': async () => [] } as unknown as Administration;
    const { stop } = await serveAdministration(folder, administration, unlogged);
    expect(await listed).toEqual([]);
    stop();
    const again = runAdministration(call, 'token list', list);
    await Bun.sleep(100);
    release();
    expect(await again).toEqual([]);
  });

  test('that stays so is refused', async () => {
    const { release, call } = locked('in-use');
    const refused = runAdministration(call, 'token list', list, undefined, 100);
    await expect(refused).rejects.toThrow(FolderInUse);
    release();
  });
});
