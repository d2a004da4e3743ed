// What the service is measured against: a bare Elysia server, without token, database or files,
// compiled in the same way. `BARE_BODY` is the JSON that it answers, `BARE_ETAG` the entity tag of
// what whoever asks for `/tagged` may have already, `BARE_FILE` a file that Bun.serve sends.
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

const server = Bun.serve({
  hostname: '127.0.0.1',
  port,
  ...(file === undefined
    ? { fetch: app.fetch }
    : { fetch: () => new Response(Bun.file(file)), routes: { '/ready': Response.json(body) } }),
});
console.log(`  address  http://127.0.0.1:${server.port}`);
