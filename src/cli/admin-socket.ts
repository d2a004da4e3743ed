// The socket in the data folder over which commands reach a running server. Who may open it may
// administer: it lies in a folder of mode 0700 and has mode 0600 itself.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { tooLarge } from '../http/body.ts';
import type { Context } from '../http/context.ts';
import { type FieldError, Problem, problemDocument, toProblem } from '../http/problem.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { OnProgress } from '../requirements/import/progress.ts';
import { serveSocket } from '../runtime/socket-server.ts';
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
 * @returns a function that stops it
 */
export async function serveAdministration(
  dataDir: string,
  administration: Administration,
  reportFailure: Context['reportFailure'],
): Promise<() => Promise<void>> {
  const path = makeSocketPath(resolve(dataDir));
  rmSync(path, { force: true });
  const stop = serveSocket(path, async (request) => {
    const requestId = requestIdOf(request);
    const length = Number(request.headers.get('content-length') ?? 0);
    if (length > BODY_BYTES_MOST)
      return Response.json(problemDocument(tooLarge(BODY_BYTES_MOST), requestId), { status: 413 });
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
  return async () => {
    await stop();
    rmSync(path, { force: true });
  };
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
 * @throws Problem with what the server's refusal says
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
  if (!reply) return undefined;
  const body: unknown = JSON.parse(reply.text);
  if (reply.status === 200) return { result: body as Awaited<ReturnType<Administration[O]>> };
  throw refusal(body as Refusal);
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

/** What a server answers: at once, or line by line with how far it is before. */
async function post(
  path: string,
  body: string,
  onProgress: OnProgress | undefined,
): Promise<{ status: number; text: string } | undefined> {
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
        if (onProgress && response.headers['content-type'] === LINES) {
          readLines(response, onProgress).then(done, fail);
          return;
        }
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          done({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
        response.on('error', fail);
      },
    );
    asked.on('error', (error: NodeJS.ErrnoException) => {
      const gone = ['ECONNREFUSED', 'ENOENT', 'FailedToOpenSocket'].includes(error.code ?? '');
      if (gone) done(undefined);
      else fail(error);
    });
    asked.end(body);
  });
}

/** Tells what the lines before the last one say, and gives the last: the answer. */
async function readLines(
  response: AsyncIterable<Buffer>,
  onProgress: OnProgress,
): Promise<{ status: number; text: string }> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response) {
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
  throw new Error('the server ended before it had answered');
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
