// A server that speaks as much of the API as agents and reporters use, whose moods a test decides: it
// can be away, busy, take leases and ask for cancellation. Reports are judged as the real one does.
import { createHash } from 'node:crypto';
import { readMultipart } from '../../src/http/files/multipart.ts';
import { readReport } from '../../src/quality/reports/read.ts';
import { type Execution, judgeRun } from '../../src/quality/runs/verdict.ts';

export interface FakeItem {
  name: string;
  kind?: string;
  argv: string[];
  cwd?: string | null;
  env?: Record<string, string>;
  timeoutMs?: number;
  report?: { format: string; path: string | null };
  /** Of the command that it is of. */
  credentials?: string[];
}

export interface FakeRun {
  runId: string;
  name: string;
  state: string;
  seq: number;
  cancelRequested: boolean;
  heartbeats: number;
  message: string | null;
}

export interface FakeReport {
  run: Record<string, unknown> & { execution: Execution };
  report: { mediaType: string | undefined; text: string } | undefined;
  files: { name: string; text: string }[];
  status: string;
  key: string | null;
}

export interface AgentServer {
  url: string;
  token: string;
  runs: FakeRun[];
  reports: FakeReport[];
  /** `METHOD /path` of every request. */
  asked: string[];
  /** Answers in the place of the server where it gives one. */
  mood: (request: Request, path: string) => Response | undefined | Promise<Response | undefined>;
  /** Sees what the server would answer, and may answer otherwise. */
  after: (answer: Response, path: string) => Response | Promise<Response>;
  /** Credentials of the suite. */
  credentials: Record<string, string>;
  leaseMs: number;
  /** No socket of it is open any more; `start` opens the same port again. */
  stop(): Promise<void>;
  start(): void;
}

/** A problem as the API answers it. */
export function problem(status: number, code: string, headers: Record<string, string> = {}) {
  return Response.json({ code, status, detail: `as the test wants: ${code}` }, { status, headers });
}

/** Starts a server whose one plan has these items. */
export function startAgentServer(items: FakeItem[]): AgentServer {
  const token = 'pqrs_test_secret';
  const replies = new Map<string, { hash: string; status: number; body: unknown }>();
  let claimed = 0;
  let suites = 0;
  let port = 0;
  let listening: ReturnType<typeof Bun.serve> | undefined;

  const server: AgentServer = {
    url: '',
    token,
    runs: [],
    reports: [],
    asked: [],
    mood: () => undefined,
    after: (given) => given,
    credentials: {},
    leaseMs: 60_000,
    async stop() {
      await listening?.stop(true);
      listening = undefined;
    },
    start() {
      listening = Bun.serve({ port, hostname: '127.0.0.1', idleTimeout: 60, fetch: served });
      port = listening.port ?? 0;
      server.url = `http://127.0.0.1:${port}`;
    },
  };
  server.start();
  return server;

  async function served(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const path = pathname.replace(/^\/api/, '');
    server.asked.push(`${request.method} ${path}${search}`);
    const moody = await server.mood(request, path);
    return moody ?? server.after(await answer(request, path, search), path);
  }

  async function answer(request: Request, path: string, search: string): Promise<Response> {
    if (request.headers.get('authorization') !== `Bearer ${token}`)
      return problem(401, 'unauthorized');
    const operation = `${request.method} ${path}`;
    if (operation === 'POST /test-runs') return keyed(request, await formOf(request));
    if (operation === 'POST /agent/suite' || operation === 'POST /agent/plan')
      return keyed(request, (await request.json()) as Record<string, unknown>);
    if (operation === 'POST /run-state') return runState((await request.json()) as StateWrite);
    const query = new URLSearchParams(search);
    if (operation === 'GET /run-state' && query.get('view') === 'plans')
      return Response.json({ items: progressOf() });
    if (operation === 'GET /test-commands') return commands(query);
    return problem(404, 'not_found');
  }

  /** As the service does: the same request under one key has one effect. */
  async function keyed(request: Request, body: unknown): Promise<Response> {
    const key = request.headers.get('idempotency-key');
    const name = `${new URL(request.url).pathname} ${key}`;
    const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
    const before = key === null ? undefined : replies.get(name);
    if (before && before.hash !== hash) return problem(422, 'idempotency_mismatch');
    if (before) return Response.json(before.body, { status: before.status });
    const made = name.startsWith('/api/test-runs')
      ? await record(body as Omit<FakeReport, 'status' | 'key'>, key)
      : name.startsWith('/api/agent/plan')
        ? { status: 201, body: { id: 'pln_1', items: items.map((_, at) => ({ position: at })) } }
        : claim(body as { maxItems?: number });
    if (key !== null && made.status < 300) replies.set(name, { hash, ...made });
    return Response.json(made.body, { status: made.status });
  }

  function claim({ maxItems = 100 }: { maxItems?: number }) {
    const own = items.slice(claimed, claimed + maxItems);
    if (own.length === 0)
      return {
        status: 200,
        body: { planId: 'pln_1', items: [], done: true, retryAfterMs: 0 },
      };
    suites += 1;
    const claims = own.map(({ credentials: _, ...item }, at) => {
      const position = claimed + at + 1;
      const runId = `run_${suites}_${position}`;
      const state = {
        ...{ state: 'queued', seq: 0, cancelRequested: false, heartbeats: 0, message: null },
      };
      server.runs.push({ runId, name: item.name, ...state });
      return {
        ...{ position, runId, attempt: 1, commandId: `cmd_${position}`, kind: 'shell', cwd: null },
        ...{ env: {}, timeoutMs: 60_000, report: { format: 'none', path: null }, storyIds: [] },
        ...item,
      };
    });
    claimed += own.length;
    const renewAfterMs = Math.floor(server.leaseMs / 5);
    const expiresAt = new Date(Date.now() + server.leaseMs).toISOString();
    const lease = { id: `lse_${suites}`, token: `secret-${suites}`, expiresAt, renewAfterMs };
    const { credentials } = server;
    return {
      status: 201,
      body: { id: `ste_${suites}`, planId: 'pln_1', items: claims, lease, credentials },
    };
  }

  function progressOf() {
    const progress = { total: items.length, open: items.length - claimed, claimed: 0 };
    const ended = { passed: 0, failed: 0, broken: 0, cancelled: 0 };
    for (const run of server.runs)
      if (isEnded(run)) ended[run.state as keyof typeof ended] += 1;
      else progress.claimed += 1;
    return { ...progress, ...ended };
  }

  function runState({ runId, seq, state, message }: StateWrite): Response {
    const run = server.runs.find((one) => one.runId === runId);
    if (!run) return problem(404, 'not_found');
    if (seq < run.seq) return problem(409, 'stale_sequence');
    if (isEnded(run)) return problem(409, 'illegal_transition');
    run.seq = seq;
    if (state === undefined) run.heartbeats += 1;
    run.state = state ?? run.state;
    run.message = message ?? run.message;
    return Response.json({ ...run, renewAfterMs: Math.floor(server.leaseMs / 5) });
  }

  async function record(sent: Omit<FakeReport, 'status' | 'key'>, key: string | null) {
    const state = server.runs.find(({ runId }) => runId === sent.run.runId);
    if (sent.run.runId !== undefined && !state) return { status: 404, body: { code: 'not_found' } };
    const { harnessErrors, status, totals } = await judge(sent);
    const late = state !== undefined && isEnded(state);
    if (state && !late) state.state = status;
    server.reports.push({ ...sent, status, key });
    const id = state?.runId ?? `run_of_${server.reports.length}`;
    const body = { id, name: sent.run.name ?? 'run', status, late, totals, harnessErrors };
    return { status: late ? 202 : 201, body };
  }

  function commands(query: URLSearchParams): Response {
    const at = items.findIndex((_, at) => `cmd_${at + 1}` === query.get('id'));
    const { credentials = [] } = items[at] ?? {};
    return at < 0 ? problem(404, 'not_found') : Response.json({ id: query.get('id'), credentials });
  }
}

interface StateWrite {
  runId: string;
  seq: number;
  state?: string;
  message?: string;
}

function isEnded({ state }: FakeRun): boolean {
  return !['queued', 'running', 'lost'].includes(state);
}

async function formOf(request: Request): Promise<Omit<FakeReport, 'status' | 'key'>> {
  const limits = { totalBytes: 1e9 };
  const type = request.headers.get('content-type') ?? '';
  const body = request.body as unknown as AsyncIterable<Uint8Array>;
  const form: Omit<FakeReport, 'status' | 'key'> = {
    run: { execution: {} },
    report: undefined,
    files: [],
  };
  for await (const part of readMultipart(body, type, limits)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of part.chunks) chunks.push(chunk.slice());
    const text = Buffer.concat(chunks).toString('utf8');
    if (part.name === 'run') form.run = JSON.parse(text);
    else if (part.name === 'report') form.report = { mediaType: part.mediaType, text };
    else form.files.push({ name: part.fileName ?? '', text });
  }
  return form;
}

async function judge({ run, report }: Omit<FakeReport, 'status' | 'key'>) {
  const { execution, root } = run as { execution: Execution; root?: string };
  const options = { execution, ...(root ? { root } : {}) };
  if (report === undefined) return judgeRun({ report: null, ...options });
  const bytes = Buffer.from(report.text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const reading = {
    ...(report.mediaType ? { mediaType: report.mediaType } : {}),
    ...(root ? { root } : {}),
  };
  for await (const part of readReport([bytes], reading)) {
    if (part.type === 'summary') return judgeRun({ report: part.summary, sha256, ...options });
  }
  throw new Error('a report without a summary');
}
