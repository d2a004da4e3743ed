// What the service is measured against: a bare Elysia server, without token, database or files,
// compiled in the same way. `BARE_BODY` is the JSON that it answers, `BARE_ETAG` the entity tag of
// what whoever asks for `/tagged` may have already, `BARE_FILE` a file that Bun.serve sends. With
// `BARE_ALONE`, Bun.serve answers that entity tag itself, whatever the path: it reads the headers that
// every request to the service has read, and writes those that a 304 of the service has.
import { Elysia } from 'elysia';

const body: unknown = JSON.parse(process.env.BARE_BODY ?? '{"status":"pass"}');
const etag = process.env.BARE_ETAG ?? '';
const file = process.env.BARE_FILE;
const port = Number(process.env.PORT ?? 0);

const app = new Elysia({ precompile: true })
  .get('/item', () => body)
  .get('/ready', () => body)
  .get('/tagged', ({ request }) => {
    const same = request.headers.get('if-none-match') === etag;
    return same ? new Response(null, { status: 304, headers: { ETag: etag } }) : body;
  });
app.compile();

const head = new Headers({
  'Cache-Control': 'private, no-cache',
  'X-Content-Type-Options': 'nosniff',
  ETag: etag,
});
let requests = 0;

function alone({ headers }: Request): Response {
  const known = headers.get('authorization') !== null && headers.get('if-none-match') === etag;
  requests += 1;
  head.set('X-Request-Id', headers.get('x-request-id') ?? `${process.pid}-${requests}`);
  return new Response(null, { status: known ? 304 : 401, headers: head });
}

function answering() {
  const routes = { '/ready': Response.json(body) };
  if (file !== undefined) return { fetch: () => new Response(Bun.file(file)), routes };
  return process.env.BARE_ALONE ? { fetch: alone } : { fetch: app.fetch };
}

const server = Bun.serve({ hostname: '127.0.0.1', port, ...answering() });
console.log(`  address  http://127.0.0.1:${server.port}`);
