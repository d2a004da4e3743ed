// The socket in the data folder over which commands reach a running server. Who may open it may
// administer: it lies in a folder of mode 0700 and has mode 0600 itself. An answer is JSON lines: how far
// the operation is, again and again, and then how it ended.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type FieldError, Problem } from '../../errors.ts';
import { tooLarge } from '../../http/api/body.ts';
import type { Context } from '../../http/api/context.ts';
import { problemDocument, toProblem } from '../../http/api/problem.ts';
import { requestIdOf } from '../../http/api/request-id.ts';
import { type SocketServer, serveSocket } from '../../runtime/socket-server.ts';
import { CommandFailed } from '../command.ts';
import type { OnProgress } from '../progress-bar.ts';
import type { Administration, Input, Operation, Result } from './administration.ts';

const MAX_PATH_BYTES = 100;
const MAX_BODY_BYTES = 1024 * 1024 * 1024;

interface Refusal {
  code: Problem['code'];
  detail: string;
  requestId: string;
  errors?: FieldError[];
}

type Line = { progress: Parameters<OnProgress> } | { result: unknown } | { refusal: Refusal };

/**
 * Serves the administration on the socket of a data folder. The caller holds the folder's lock, so
 * a socket that is there is a leftover.
 */
export async function serveAdministration(
  dataDir: string,
  administration: Administration,
  reportFailure: Context['reportFailure'],
): Promise<SocketServer> {
  const path = makeSocketPath(resolve(dataDir));
  rmSync(path, { force: true });
  let draining = false;
  const server = serveSocket(path, async (request) => {
    const requestId = requestIdOf(request);
    const refuse = (problem: Problem): Line => ({
      refusal: problemDocument(problem, requestId) as unknown as Refusal,
    });
    if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES)
      return new Response(encode(refuse(tooLarge(MAX_BODY_BYTES))));
    if (draining) {
      // Who is still sending hears no answer.
      for await (const _ of request.body ?? []);
      return new Response(encode(refuse(new Problem('unavailable', 'The service is stopping.'))));
    }
    return answer(administration, await request.text(), (error, operation) => {
      const problem = toProblem(error);
      if (problem.status >= 500) reportFailure(problem, requestId, operation);
      return refuse(problem);
    });
  });
  return {
    async drain(mostMs) {
      draining = true;
      // Who finds no socket waits until the data folder is free.
      rmSync(path, { force: true });
      await server.drain(mostMs);
    },
    async stop() {
      await server.stop();
      rmSync(path, { force: true });
    },
  };
}

function answer(
  administration: Administration,
  text: string,
  refuse: (error: unknown, operation: string) => Line,
): Response {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (line: Line) => {
        try {
          controller.enqueue(encode(line));
        } catch {
          // Nobody listens any more; the operation goes on to its end.
        }
      };
      let name = 'none';
      try {
        const { operation, input } = JSON.parse(text) as { operation: Operation; input: never };
        name = `admin ${operation}`;
        if (!Object.hasOwn(administration, operation))
          throw new Problem('not_found', 'There is no such operation.');
        const run = administration[operation] as (
          input: never,
          onProgress: OnProgress,
        ) => Promise<unknown>;
        send({ result: (await run(input, (...progress) => send({ progress }))) ?? null });
      } catch (error) {
        send(refuse(error, name));
      }
      try {
        controller.close();
      } catch {
        // Closed by who listened.
      }
    },
  });
  return new Response(body);
}

function encode(line: Line): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${JSON.stringify(line)}\n`);
}

/**
 * Asks a running server.
 *
 * @returns undefined where none runs on this data folder
 * @throws Problem with what the server's refusal says; CommandFailed where the server ends before it
 *   has answered
 */
export async function askServer<O extends Operation>(
  dataDir: string,
  operation: O,
  input: Input<O>,
  onProgress?: OnProgress,
): Promise<{ result: Result<O> } | undefined> {
  const path = findSocketPath(resolve(dataDir));
  if (path === undefined || !existsSync(path)) return undefined;
  const response = await post(path, JSON.stringify({ operation, input }));
  if (response === undefined) return undefined;
  let rest = '';
  try {
    for await (const chunk of response) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) {
        const line = JSON.parse(text) as Line;
        if ('result' in line) return { result: line.result as Result<O> };
        if ('refusal' in line) throw problemOf(line.refusal);
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

function problemOf({ code, detail, requestId, errors = [] }: Refusal): Problem {
  const text = code === 'internal' ? `${detail.replace(/\.$/, '')}: ${requestId}` : detail;
  return new Problem(code, text, { errors });
}

async function post(path: string, body: string): Promise<AsyncIterable<string> | undefined> {
  const { request } = await import('node:http');
  return new Promise((done, fail) => {
    const headers = { 'Content-Length': Buffer.byteLength(body) };
    const asked = request({ socketPath: path, method: 'POST', path: '/', headers }, (response) =>
      done(response.setEncoding('utf8')),
    );
    asked.on('error', (error: NodeJS.ErrnoException) => {
      const isNobody = ['ECONNREFUSED', 'ENOENT', 'FailedToOpenSocket'].includes(error.code ?? '');
      if (isNobody) done(undefined);
      else fail(error.syscall === 'connect' ? error : cutOff());
    });
    asked.end(body);
  });
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
