// A small project in which every page of the console has something to show.

/** Calls the API; gives the JSON of the answer, whose status must be a good one. */
export type Ask = <T = { id: string }>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<T>;

/** An `Ask` of a server, as bearer of a token. */
export function askOf(url: string, token: string): Ask {
  return async <T>(method: string, path: string, body?: unknown, headers = {}) => {
    const isRaw = body === undefined || body instanceof Uint8Array || typeof body === 'string';
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(!isRaw && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isRaw ? (body as BodyInit) : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}

const CART = `# Cart

## CART-1: Adding an item

The cart shall hold each item that was added, with its price.

Acceptance criteria:

- An item added twice is listed once, with the number 2

## CART-2: Emptying the cart

The cart shall be empty after its owner emptied it.

Acceptance criteria:

- The sum is 0

## CART-3: Sharing a cart

The cart may be shared by a link.

Depends on: CART-1, CART-9
`;

const PAYMENT = `# Payment

## PAY-1: Paying once

The shop shall charge an order once.

Acceptance criteria:

- A second press of the button charges nothing

Depends on: CART-1

## PAY-2: Refunds

The shop shall refund an order within 3 days.

Acceptance criteria:

- The amount is that of the order

Depends on: PAY-1

## PAY-3: Receipts

The shop shall send a receipt for each payment.

Acceptance criteria:

- It names the order

Depends on: PAY-1

## PAY-4: Paper invoices

The shop shall print an invoice where the law asks for one.
`;

const TESTS = [
  ['adds an item [CART-1]', 'cart.test.ts'],
  ['lists it once [CART-1]', 'cart.test.ts'],
  ['empties the cart [CART-2]', 'cart.test.ts'],
  ['charges once [PAY-1]', 'payment.test.ts'],
  ['refunds the amount [PAY-2]', 'payment.test.ts'],
  ['sends a receipt [PAY-3]', 'payment.test.ts'],
] as const;

/** How a test ended in each of the runs, the oldest first; `~` passed after a retry. */
const OUTCOMES: Record<string, string> = {
  'adds an item [CART-1]': 'PPPPPP',
  'lists it once [CART-1]': 'P~P~P~',
  'empties the cart [CART-2]': 'PPPPPP',
  'charges once [PAY-1]': 'PPPPFF',
  'refunds the amount [PAY-2]': 'PPFPPP',
  'sends a receipt [PAY-3]': 'PPPPPS',
};

export interface SeededProject {
  /** The ids of the runs, the oldest first. */
  runs: string[];
  commandId: string;
  issueId: string;
  planId: string;
  suiteId: string;
}

const DAY_MS = 86_400_000;

/** A picture of 1 by 1 (PNG). */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

/**
 * Fills an empty project: two documents in two revisions (a reference to nothing in them), runs of six
 * days with failures and flaky tests, verdicts of which one no longer holds, an edit and an addition,
 * issues with a picture, a plan and an agent at work, log entries, a baseline.
 *
 * @param slug - of the token's project
 */
export async function seedProject(ask: Ask, slug: string): Promise<SeededProject> {
  await importSources(ask, slug, { 'cart.md': CART, 'payment.md': PAYMENT });
  const commandId = (
    await ask('POST', '/test-commands', {
      key: 'shop',
      name: 'Shop',
      kind: 'bun-test',
      argv: ['bun', 'test'],
    })
  ).id;
  const runs: string[] = [];
  for (let at = 0; at < 6; at += 1) runs.push((await report(ask, commandId, at)).id);
  await ask('POST', '/validation-transfer', {
    mode: 'record',
    results: ['CART-1', 'CART-2', 'PAY-2'].map((storyId) => ({
      storyId,
      verdict: 'passed',
      evidence: 'Seen by hand on the demo shop.',
    })),
  });
  await ask('POST', '/projects', { slug, baseline: { name: 'first' } });
  const changed = CART.replace('after its owner emptied it', 'within a second of being emptied');
  await importSources(ask, slug, { 'cart.md': changed, 'payment.md': PAYMENT });
  await ask('POST', '/project-traceability', {
    justify: [{ storyId: 'PAY-4', need: 'test', reason: 'The auditor looks once a year.' }],
  });
  await ask('POST', '/story-edits', {
    storyId: 'PAY-3',
    set: { statement: 'The shop shall send a receipt for each payment by e-mail.' },
    reason: 'The law asks for it.',
  });
  await ask('POST', '/story-additions', {
    storyId: 'CART-4',
    title: 'Saving a cart',
    statement: 'The cart shall be kept 30 days.',
    reason: 'Asked for by the support.',
  });
  const issueId = await fileIssues(ask, runs);
  await ask('POST', '/system-logs', [
    { level: 'error', message: 'payment 4711 timed out', fields: { paymentId: 4711 } },
    { level: 'warn', message: 'the queue is long' },
    { level: 'info', message: 'the shop has started' },
  ]);
  const planId = (await ask('POST', '/agent/plan', { strategy: 'full' })).id;
  const suiteId = await work(ask, planId);
  return { runs, commandId, issueId, planId, suiteId };
}

async function importSources(ask: Ask, slug: string, sources: Record<string, string>) {
  const files = Object.entries(sources).map(([path, content]) => ({ path, content }));
  await ask('POST', '/projects', { slug, sources: files, confirm: true });
}

function report(ask: Ask, commandId: string, at: number) {
  const startedAt = new Date(Date.now() - (6 - at) * DAY_MS).toISOString();
  const results = TESTS.map(([name, file]) => {
    const outcome = OUTCOMES[name]?.[at];
    const failed = { status: 'failed', message: `expected 1, got 2: ${name}` };
    return {
      ...{ name, file, durationMs: 40 + at, path: [file.replace('.test.ts', '')] },
      ...(outcome === 'F' ? failed : { status: outcome === 'S' ? 'skipped' : 'passed' }),
      ...(outcome === '~' && { attempts: [failed] }),
    };
  });
  return ask('POST', '/test-runs', {
    ...{ commandId, results, startedAt, branch: 'main', environment: 'lab-3' },
    commit: `${at}`.repeat(40),
    execution: { exitCode: results.some(({ status }) => status === 'failed') ? 1 : 0 },
  });
}

async function fileIssues(ask: Ask, runs: string[]): Promise<string> {
  const { id } = await ask('POST', '/issues', {
    title: 'Paying twice when the button is pressed twice',
    description: 'Press the button twice within a second.',
    severity: 'critical',
    storyIds: ['PAY-1'],
    route: '/checkout',
    build: '2026.1.31',
    environment: 'lab-3',
    runId: runs.at(-1),
    context: { errors: [{ type: 'TypeError', message: 'x is undefined' }] },
  });
  await ask('POST', `/issues/${id}/attachments`, new Uint8Array(PICTURE), {
    'content-type': 'image/png',
    'content-disposition': 'attachment; filename="checkout.png"',
  });
  for (const severity of ['major', 'minor', 'trivial'])
    await ask('POST', '/issues', { title: `A ${severity} fault of the cart`, severity });
  return id;
}

/** An agent claims the plan, and is halfway through its first item. */
async function work(ask: Ask, planId: string): Promise<string> {
  const suite = await ask<{
    id: string;
    lease: { id: string; token: string };
    items: { runId: string; attempt: number }[];
  }>('POST', '/agent/suite', { planId, agent: { name: 'lab-3', kinds: ['bun-test'] } });
  const [item] = suite.items;
  if (!item) throw new Error('the agent got nothing to do');
  await ask('POST', '/run-state', {
    runId: item.runId,
    attempt: item.attempt,
    lease: { id: suite.lease.id, token: suite.lease.token },
    seq: 1,
    state: 'running',
    progress: { done: 3, total: 6, current: 'charges once' },
  });
  return suite.id;
}
