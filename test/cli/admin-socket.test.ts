// The socket of the commands when the server ends: those under way end first, and who is cut off is
// told so in a sentence.
import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { askServer, serveAdministration } from '../../src/cli/admin-socket.ts';
import type { Administration } from '../../src/cli/administration.ts';
import { CommandFailed } from '../../src/cli/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const wish = { project: undefined, files: [], mode: 'replace' as const };

/** An import that takes until it is told to end. */
function slowImport() {
  const report = { project: 'p', revision: 1 };
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const administration = {
    import: async () => {
      begin();
      await ended;
      return report;
    },
  } as unknown as Administration;
  return { administration, begun, end, report };
}

const unlogged = () => {};

describe('a server that stops [PQRS-82]', () => {
  test.each([[undefined], [() => {}]])(
    'lets a command under way end, and is found by no further one',
    async (onProgress) => {
      const folder = temporaryFolder('draining');
      const { administration, begun, end, report } = slowImport();
      const socket = await serveAdministration(folder, administration, unlogged);
      const asked = askServer(folder, 'import', wish, onProgress);
      await begun;
      let drained = false;
      const draining = socket.drain(10_000).then(() => {
        drained = true;
      });
      expect(existsSync(join(folder, 'admin.sock'))).toBe(false);
      expect(await askServer(folder, 'import', wish)).toBeUndefined();
      await Bun.sleep(60);
      expect(drained).toBe(false);
      end();
      await draining;
      await socket.stop();
      expect(await asked).toEqual({ result: report as never });
    },
  );

  test.each([[undefined], [() => {}]])(
    'cuts off what takes longer, and says so without a stack',
    async (onProgress) => {
      const folder = temporaryFolder('cut-off');
      const { administration, begun } = slowImport();
      const socket = await serveAdministration(folder, administration, unlogged);
      const asked = askServer(folder, 'import', wish, onProgress).catch((error) => error);
      await begun;
      await socket.drain(50);
      await socket.stop();
      expect(await asked).toEqual(
        new CommandFailed(
          'the server ended before it had answered; look up whether "import" was done before the command is run again',
        ),
      );
    },
  );

  test('an answer that is not whole is none, and a list may be asked for again', async () => {
    const folder = temporaryFolder('half');
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('[{"id":');
      setTimeout(() => response.destroy(), 20);
    });
    await new Promise<void>((done) => server.listen(join(folder, 'admin.sock'), done));
    const asked = askServer(folder, 'project list', {}).catch((error) => error);
    expect(await asked).toEqual(
      new CommandFailed('the server ended before it had answered; run the command again'),
    );
    server.close();
  });
});
