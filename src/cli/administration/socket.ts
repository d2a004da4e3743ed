// The socket in the data folder over which commands reach a running server. Who may open it may
// administer: it lies in a folder of mode 0700 and has mode 0600 itself.
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
import { isJson } from '../import/is-json.ts';
import type { OnProgress } from '../progress-bar.ts';
import type { Administration } from './administration.ts';

/** What a socket address may hold on every system. */
const PATH_BYTES_MOST = 100;
/** A source set in base64, and what stands around it. */
const BODY_BYTES_MOST = 1024 * 1024 * 1024;

/** How a client asks to be told how far a long operation is. */
const LINES = 'application/x-ndjson';

type Operation = keyof Administration;

/**
 * Serves the administration on the socket of a data folder. The caller holds the folder's lock, so
 * a socket that is there is a leftover.
 *
 * @param reportFailure - logs what a caller is not told
 * @returns what drains it (no new command is taken, those under way end) and stops it
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
    const length = Number(request.headers.get('content-length') ?? 0);
    if (length > BODY_BYTES_MOST)
      return Response.json(problemDocument(tooLarge(BODY_BYTES_MOST), requestId), { status: 413 });
    if (draining) {
      // Who is still sending hears no answer.
      for await (const _ of request.body ?? []);
      return Response.json(problemDocument(stopping(), requestId), { status: stopping().status });
    }
    const text = await request.text();
    const refuse: Refuse = (error, operation) => {
      const problem = toProblem(error);
      if (problem.status >= 500) reportFailure(problem, requestId, operation);
      return { status: problem.status, body: problemDocument(problem, requestId) };
    };
    const ask: Ask = (onProgress) => answer(administration, text, onProgress, refuse);
    if (request.headers.get('accept') === LINES) return tellAll(ask);
    const { status, body } = await ask(undefined);
    return Response.json(body, { status });
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

function stopping(): Problem {
  return new Problem('unavailable', 'The service is stopping.');
}

interface Answer {
  status: number;
  body: unknown;
}

/** Does what a request asks for. */
type Ask = (onProgress: OnProgress | undefined) => Promise<Answer>;
type Refuse = (error: unknown, operation: string) => Answer;

/** An answer in lines: how far the operation is, again and again, and then how it ended. */
function tellAll(ask: Ask): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      let gone = false;
      const say = (line: object) => {
        if (gone) return;
        try {
          controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
        } catch {
          // Nobody listens any more; the operation goes on to its end.
          gone = true;
        }
      };
      say(await ask((...progress) => say({ progress })));
      if (!gone) controller.close();
    },
  });
  return new Response(body, { headers: { 'Content-Type': LINES } });
}

async function answer(
  administration: Administration,
  text: string,
  onProgress: OnProgress | undefined,
  refuse: Refuse,
): Promise<Answer> {
  let name = 'none';
  try {
    const { operation, wish } = JSON.parse(text) as { operation: Operation; wish: never };
    name = `admin ${operation}`;
    if (!Object.hasOwn(administration, operation))
      throw new Problem('not_found', 'There is no such operation.');
    const run = administration[operation] as (wish: never, say?: OnProgress) => Promise<unknown>;
    return { status: 200, body: (await run(wish, onProgress)) ?? null };
  } catch (error) {
    return refuse(error, name);
  }
}

/**
 * Asks a running server.
 *
 * @param onProgress - is told how far the server is, if it says so
 * @returns undefined where none runs on this data folder
 * @throws Problem with what the server's refusal says; CommandFailed where the server ends before it
 *   has answered
 */
export async function askServer<O extends Operation>(
  dataDir: string,
  operation: O,
  wish: Parameters<Administration[O]>[0],
  onProgress?: OnProgress,
): Promise<{ result: Awaited<ReturnType<Administration[O]>> } | undefined> {
  const path = findSocketPath(resolve(dataDir));
  if (path === undefined || !existsSync(path)) return undefined;
  const reply = await post(path, JSON.stringify({ operation, wish }), onProgress);
  if (reply === 'nobody') return undefined;
  if (reply === 'cut off') throw new CommandFailed(cutOff(operation));
  const body: unknown = JSON.parse(reply.text);
  if (reply.status === 200) return { result: body as Awaited<ReturnType<Administration[O]>> };
  throw refusal(body as Refusal);
}

function cutOff(operation: Operation): string {
  const then = operation.endsWith(' list')
    ? 'run the command again'
    : `look up whether "${operation}" was done before the command is run again`;
  return `the server ended before it had answered; ${then}`;
}

interface Refusal {
  code: Problem['code'];
  detail: string;
  requestId: string;
  errors?: FieldError[];
}

/** What a server has refused, as if it were refused here; where it has failed, with the id in its log. */
function refusal({ code, detail, requestId, errors = [] }: Refusal): Problem {
  const text = code === 'internal' ? `${detail.replace(/\.$/, '')}: ${requestId}` : detail;
  return new Problem(code, text, { errors });
}

/** What a server answers; or that none listens, or that it ended before it had answered. */
type Reply = { status: number; text: string } | 'nobody' | 'cut off';

/** Asks for an answer at once, or line by line with how far the server is before. */
async function post(
  path: string,
  body: string,
  onProgress: OnProgress | undefined,
): Promise<Reply> {
  const { request: httpRequest } = await import('node:http');
  return new Promise((done, fail) => {
    const asked = httpRequest(
      {
        socketPath: path,
        method: 'POST',
        path: '/',
        headers: {
          'Content-Length': Buffer.byteLength(body),
          ...(onProgress ? { Accept: LINES } : {}),
        },
      },
      (response) => {
        const inLines = onProgress && response.headers['content-type'] === LINES;
        const status = response.statusCode ?? 0;
        const reply = inLines ? readLines(response, onProgress) : readWhole(response, status);
        reply.then(done, fail);
      },
    );
    asked.on('error', (error: NodeJS.ErrnoException) => {
      const nobody = ['ECONNREFUSED', 'ENOENT', 'FailedToOpenSocket'].includes(error.code ?? '');
      if (nobody) done('nobody');
      else if (error.syscall === 'connect') fail(error);
      else done('cut off');
    });
    asked.end(body);
  });
}

/** The chunks of an answer up to where it ends, be it cut off there. */
async function* untilCutOff(response: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* response;
  } catch {
    // Only the connection fails here; that the answer is not whole shows at its end.
  }
}

async function readWhole(response: AsyncIterable<Buffer>, status: number): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of untilCutOff(response)) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return isJson(text) ? { status, text } : 'cut off';
}

/** Tells what the lines before the last one say, and gives the last: the answer. */
async function readLines(response: AsyncIterable<Buffer>, onProgress: OnProgress): Promise<Reply> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of untilCutOff(response)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const said = JSON.parse(line) as
        | { progress: Parameters<OnProgress> }
        | { status: number; body: unknown };
      if ('status' in said) return { status: said.status, text: JSON.stringify(said.body) };
      onProgress(...said.progress);
    }
  }
  return 'cut off';
}

/** Where a path is too long for a socket, a file in the data folder says where it is instead. */
function makeSocketPath(dataDir: string): string {
  const path = join(dataDir, 'admin.sock');
  if (Buffer.byteLength(path) <= PATH_BYTES_MOST) return path;
  const known = findSocketPath(dataDir);
  if (known !== undefined) rmSync(resolve(known, '..'), { recursive: true, force: true });
  const elsewhere = join(mkdtempSync(join(tmpdir(), 'pqrs-admin-')), 'admin.sock');
  writeFileSync(`${path}.path`, elsewhere, { mode: 0o600 });
  return elsewhere;
}

function findSocketPath(dataDir: string): string | undefined {
  const path = join(dataDir, 'admin.sock');
  if (Buffer.byteLength(path) <= PATH_BYTES_MOST) return path;
  return existsSync(`${path}.path`) ? readFileSync(`${path}.path`, 'utf8').trim() : undefined;
}
