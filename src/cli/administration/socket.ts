// The socket in the data folder over which commands reach a running server. Who may open it may
// administer: it lies in a folder of mode 0700 and has mode 0600 itself. An answer is JSON lines: how far
// the operation is, again and again, and then how it ended.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { Problem } from '../../errors.ts';
import type { Context } from '../../http/api/context.ts';
import { toProblem } from '../../http/api/problem.ts';
import { CommandFailed, type OnProgress } from '../command.ts';
import type { Administration, Input, Operation, Result } from './administration.ts';

const MAX_PATH_BYTES = 100;
const PIECE_BYTES = 1024 * 1024;

type Refusal = Pick<Problem, 'code' | 'message' | 'errors'>;
type Line = { progress: Parameters<OnProgress> } | { result: unknown } | { refusal: Refusal };

/** The caller holds the folder's lock, so a socket that is there is a leftover. */
export async function serveAdministration(
  dataDir: string,
  administration: Administration,
  reportFailure: Context['reportFailure'],
) {
  const { createServer } = await import('node:http');
  const path = makeSocketPath(resolve(dataDir));
  rmSync(path, { force: true });
  const server = createServer(async (request, response) => {
    response.setHeader('Connection', 'close');
    // Nobody may listen any more; the operation goes on to its end.
    const send = (line: Line) => response.write(`${JSON.stringify(line)}\n`);
    let name = 'none';
    try {
      const { operation, input } = JSON.parse(await text(request)) as Asked;
      name = `admin ${operation}`;
      const run = administration[operation] as AnyOperation;
      send({ result: (await run(input, (...progress) => send({ progress }))) ?? null });
    } catch (error) {
      const requestId = crypto.randomUUID();
      const problem = toProblem(error);
      const { status, code, message, errors } = problem;
      if (status >= 500) reportFailure(problem, requestId, name);
      const text = code === 'internal' ? `${message} (request ${requestId})` : message;
      send({ refusal: { code, message: text, errors } });
    }
    response.end();
  });
  await new Promise<void>((listening, fail) => {
    server.once('error', fail);
    server.listen(path, listening);
  });
  chmodSync(path, 0o600);
  return {
    /** No further command finds the socket; resolves when those under way are answered, or in time. */
    async drain(mostMs: number) {
      rmSync(path, { force: true });
      const closed = new Promise((done) => server.close(done));
      await Promise.race([closed, setTimeout(mostMs, undefined, { ref: false })]);
    },
    stop() {
      rmSync(path, { force: true });
      server.close();
      server.closeAllConnections();
    },
  };
}

type Asked = { operation: Operation; input: unknown };
type AnyOperation = (input: unknown, onProgress: OnProgress) => Promise<unknown>;

/**
 * @returns undefined where no server runs on this data folder
 * @throws Problem with what the refusal says; CommandFailed where the server ends before its answer
 */
export async function askServer<O extends Operation>(
  dataDir: string,
  operation: O,
  input: Input<O>,
  onProgress?: OnProgress,
): Promise<{ result: Result<O> } | undefined> {
  const path = findSocketPath(resolve(dataDir));
  if (path === undefined || !existsSync(path)) return undefined;
  const response = await post(path, Buffer.from(JSON.stringify({ operation, input })));
  if (response === undefined) return undefined;
  let rest = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) {
        const line = JSON.parse(text) as Line;
        if ('result' in line) return { result: line.result as Result<O> };
        if ('refusal' in line) {
          const { code, message, errors } = line.refusal;
          throw new Problem(code, message, { errors });
        }
        onProgress?.(...line.progress);
      }
    }
  } catch (error) {
    // Only the connection fails here otherwise.
    if (error instanceof Problem) throw error;
  }
  throw cutOff();
}

function cutOff(): CommandFailed {
  return new CommandFailed(
    'the server ended before it had answered; look whether the command was done before it is run again',
  );
}

async function post(path: string, body: Buffer): Promise<IncomingMessage | undefined> {
  const { request } = await import('node:http');
  return new Promise((done, fail) => {
    const headers = { 'Content-Length': body.byteLength };
    const asked = request({ socketPath: path, method: 'POST', path: '/', headers }, done);
    asked.on('error', (error: NodeJS.ErrnoException) => {
      const isNobody = ['ECONNREFUSED', 'ENOENT', 'FailedToOpenSocket'].includes(error.code ?? '');
      if (isNobody) done(undefined);
      else fail(error.syscall === 'connect' ? error : cutOff());
    });
    // Bun takes a second for each 60 MB of a body that it is given at once.
    Readable.from(piecesOf(body)).pipe(asked);
  });
}

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.byteLength; at += PIECE_BYTES)
    yield body.subarray(at, at + PIECE_BYTES);
}

function makeSocketPath(dataDir: string): string {
  const path = join(dataDir, 'admin.sock');
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return path;
  const known = findSocketPath(dataDir);
  if (known !== undefined) rmSync(resolve(known, '..'), { recursive: true, force: true });
  const elsewhere = join(mkdtempSync(join(tmpdir(), 'pqrs-admin-')), 'admin.sock');
  writeFileSync(`${path}.path`, elsewhere, { mode: 0o600 });
  return elsewhere;
}

function findSocketPath(dataDir: string): string | undefined {
  const path = join(dataDir, 'admin.sock');
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return path;
  return existsSync(`${path}.path`) ? readFileSync(`${path}.path`, 'utf8').trim() : undefined;
}
