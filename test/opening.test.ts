// The application while it opens: the probes answer at once, and whatever comes first is answered as
// it is later.
import { expect, test } from 'bun:test';
import { createApp } from '../src/app.ts';
import { openInstance } from './support/instance.ts';

async function inNewApp<T>(use: (app: ReturnType<typeof createApp>) => Promise<T>): Promise<T> {
  const instance = await openInstance();
  try {
    return await use(createApp(instance.evidence));
  } finally {
    await instance.close();
  }
}

const ask = (method: string, path: string) => new Request(`http://localhost${path}`, { method });

test.each([
  ['GET', '/api/health', 401, null],
  ['GET', '/api/v1/ready', 401, null],
  ['POST', '/api/health', 405, 'GET'],
  ['HEAD', '/api/ready', 405, 'GET'],
  ['GET', '/api/issues', 401, null],
  ['OPTIONS', '/api/v1/issues', 405, 'GET, POST'],
  ['HEAD', '/docs', 200, null],
  ['PUT', '/docs', 405, 'GET, HEAD'],
  ['GET', '/docs', 200, null],
  ['GET', '/metrics', 401, null],
  ['GET', '/api/healthy', 404, null],
] as const)('%s %s may come first [PQRS-67]', async (method, path, status, allow) => {
  await inNewApp(async (app) => {
    const [first, again] = [await app.fetch(ask(method, path)), app.fetch(ask(method, path))];
    expect([first.status, first.headers.get('allow')]).toEqual([status, allow]);
    await app.open();
    const later = await app.fetch(ask(method, path));
    for (const answer of [await again, later]) {
      expect([answer.status, answer.headers.get('allow')]).toEqual([status, allow]);
    }
  });
});

test('many requests at once open it once', async () => {
  await inNewApp(async (app) => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => app.fetch(ask('GET', `/api/srs-story/US-${at}`))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 401));
    expect(await app.open()).toBe(await app.open());
  });
});
