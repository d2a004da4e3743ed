// Commands of the kind `http`.
import { afterAll, describe, expect, test } from 'bun:test';
import { readHttpCheck, runHttpCheck } from '../../../src/cli/runner/http-check.ts';

const server = Bun.serve({
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === '/slow') await Bun.sleep(5000);
    if (pathname === '/moved') return Response.redirect('/', 302);
    if (pathname === '/endless') {
      const body = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(97)),
      });
      return new Response(body);
    }
    const auth = request.headers.get('x-key');
    return new Response(`${request.method} ${auth}`, { status: auth === 'wrong' ? 401 : 200 });
  },
});
const url = server.url.href.replace(/\/$/, '');

afterAll(() => server.stop(true));

function run(argv: string[], timeoutMs = 10_000, signal = new AbortController().signal) {
  return runHttpCheck(readHttpCheck(argv, { KEY: 'right' }), timeoutMs, signal);
}

describe('a request', () => {
  test.each([
    [['GET', `${url}/`], 'passed', null],
    [['GET', `${url}/`, '200'], 'passed', null],
    [['get', `${url}/`, '201, 2XX'], 'passed', null],
    [['GET', `${url}/`, '404'], 'failed', '200, expected 404'],
    [['GET', `${url}/`, '204'], 'failed', '200, expected 204'],
    [['GET', `${url}/`, '4xx,200'], 'passed', null],
    [['GET', `${url}/moved`, '302'], 'passed', null],
    [['GET', `${url}/moved`], 'failed', '302, expected 2xx'],
    [['GET', `${url}/`, '2xx', 'X-Key: wrong'], 'failed', '401, expected 2xx'],
    [['GET', `${url}/`, 'X-Key: wrong'], 'failed', '401, expected 2xx'],
    [['GET', `${url}/endless`], 'passed', null],
  ])('%j is %s', async (argv, status, message) => {
    const end = await run(argv as string[]);
    expect(end).toMatchObject({ status: status as 'passed', message: message as string | null });
  });

  test('that nobody answers in time, or at all, is broken', async () => {
    expect(await run(['GET', `${url}/slow`], 50)).toMatchObject({
      status: 'broken',
      message: 'no answer in 50 ms',
    });
    expect(await run(['GET', 'http://127.0.0.1:1/'])).toMatchObject({ status: 'broken' });
  });

  test.each([
    [[], 'is not the method'],
    [['GET'], 'is not the address'],
    [['GET', 'file:///etc/passwd'], 'is not the address'],
    [['GET', url, 'often'], 'is not the status'],
    [['GET', url, '200', 'no header'], 'is not a header'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what stands in a command
    [['GET', '${NONE}'], 'there is no variable NONE'],
  ])('%j is none', (argv, why) => {
    expect(() => readHttpCheck(argv as string[], {})).toThrow(why as string);
  });
});
