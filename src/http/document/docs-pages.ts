// `/openapi.json`, `/docs` with what that page is made of, and the pages of the guide. They hold
// nothing secret, so they need no token.
import { type AnyElysia, Elysia } from 'elysia';
import { servePage, unrouted } from '../api/problem.ts';
import { type Asset, asset, REVALIDATED, send } from './assets.ts';

// Nothing but what the page itself brings; Swagger UI draws its icons from data: addresses.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** An Elysia plugin that serves the API document and its page. */
export function documentPages(routes: AnyElysia) {
  const plugin = new Elysia({ name: 'document' });
  let deriving: Promise<Asset> | undefined;

  async function derive(): Promise<Asset> {
    const { deriveDocument } = await import('./document.ts');
    return asset(JSON.stringify(await deriveDocument(routes)), 'application/json');
  }

  plugin.get(servePage('/openapi.json'), async ({ request }) => {
    deriving ??= derive();
    return send(request, await deriving, REVALIDATED);
  });
  plugin.get(servePage('/docs'), async ({ request }) => {
    const { PAGE } = await loadAssets();
    return send(request, PAGE, REVALIDATED, { 'Content-Security-Policy': POLICY });
  });
  plugin.get(servePage('/docs/:name'), async ({ request, params: { name } }) => {
    const { guidePage, GUIDE_POLICY } = await import('./guide.ts');
    const page = guidePage(name);
    if (page) return send(request, page, REVALIDATED, { 'Content-Security-Policy': GUIDE_POLICY });
    const found = (await loadAssets()).ASSETS.get(name);
    if (!found) throw unrouted(request);
    return send(request, found, REVALIDATED);
  });
  return plugin;
}

/** Two megabytes that most starts never show. */
function loadAssets() {
  return import('./docs-assets.ts');
}
