// The database is the state: a second process that only reads answers as the first one does.
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { openInstance } from './support/instance.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const PATHS = [
  '/project-traceability?limit=200',
  '/project-traceability?view=gaps',
  '/project-traceability?view=traces&limit=200',
  '/project-traceability?view=matrix&limit=200',
  '/srs-graph?view=effective',
  '/srs-graph?view=overlays',
  '/srs-graph?view=document',
  '/srs-graph?root=US-1&with=tests,issues,validations',
  '/projects?search=story',
  '/srs-story/US-1',
  '/srs-workflow/US-2',
  '/validation-transfer',
  '/issues?limit=200',
  '/test-runs?limit=200',
  '/test-runs?view=flaky',
  '/test-commands',
  '/project-scenarios?limit=200',
  '/route-catalog',
  '/system-logs?limit=200',
];

const STORIES = [1, 2, 3, 4, 5, 6, 7, 8]
  .map((n) => `## US-${n}: Story ${n}\n\nAs a customer I do thing ${n}.\n`)
  .join('\n');

test('after 1,000 mixed writes a reading process answers the same', async () => {
  const dataDir = temporaryFolder('second');
  const instance = await openInstance({}, { dataDir });
  const { token } = await instance.makeProject('shop');
  const post = async (path: string, body: object) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const response = await instance.fetch(`/api${path}`, { ...init, token });
    expect(response.status, `${path}: ${await response.clone().text()}`).toBeLessThan(300);
  };
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, 'support', 'reading-process.ts'), dataDir, token],
    { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
  );
  const lines = linesOf(child.stdout);
  // A connection that opens the log may hold up a write.
  await lines.next();
  const compare = async () => {
    for (const path of PATHS) {
      child.stdin.write(`${path}\n`);
      child.stdin.flush();
      const [first, { value }] = await Promise.all([
        instance.fetch(`/api${path}`, { token }),
        lines.next(),
      ]);
      expect(JSON.parse(value ?? ''), path).toEqual({
        status: 200,
        body: await first.json(),
      });
    }
  };
  try {
    await post('/projects', {
      slug: 'shop',
      sources: [{ path: 'a.md', content: STORIES }],
    });
    await compare();
    for (let round = 0; round < 100; round += 1) {
      const storyId = `US-${1 + (round % 8)}`;
      const status = round % 3 === 0 ? 'failed' : 'passed';
      await Promise.all([
        ...[1, 2, 3].map((n) =>
          post('/issues', { title: `press ${round}.${n}`, storyIds: [storyId] }),
        ),
        post('/test-runs', {
          name: `run ${round}`,
          commit: `c${round % 5}`,
          results: [
            { name: `works [${storyId}]`, status },
            { name: `other ${round % 4}`, status: 'passed' },
          ],
        }),
        post('/validation-transfer', {
          mode: 'record',
          results: [{ storyId, verdict: status }],
        }),
        post('/project-traceability', {
          add: [
            {
              storyId,
              type: 'verifies',
              target: { kind: 'test', id: `other ${round % 4}` },
            },
          ],
        }),
        post('/test-commands', { key: `command-${round}`, kind: 'shell', argv: ['true'] }),
        post('/project-scenarios', {
          key: `scenario-${round}`,
          title: `Scenario ${round}`,
          storyIds: [storyId],
          steps: [{ keyword: 'When', text: `GET /things/${round} is asked` }],
        }),
        post('/system-logs', { message: `line ${round}`, route: '/docs' }),
        post('/story-additions', { title: `Added ${round}` }),
      ]);
    }
    await compare();
  } finally {
    child.kill();
    await instance.close();
  }
});

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}
