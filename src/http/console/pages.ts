// The web console: its page at `/`, and what that page is made of below `/console/`; and the widget, for
// the pages of others. Nothing of it is secret, so none of it needs a token.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Elysia } from 'elysia';
import type { Config } from '../../config.ts';
import { Problem } from '../../errors.ts';
import { servePage, unrouted } from '../api/problem.ts';
import { type Asset, asset, FOR_EVER, REVALIDATED, send } from '../document/assets.ts';
import { builtConsole } from './built.ts';

interface BuiltFile {
  mediaType: string;
  /** Packed with gzip, in base64. */
  content: string;
}

export interface BuiltConsole {
  /** The page, with `{{demo}}` where the token of the demo may stand. */
  page: string;
  /** By name, which has a hash of the content in it. */
  files: Record<string, BuiltFile>;
  widget: BuiltFile;
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/**
 * With `crossorigin` at its tag, a script is as one of the page's own: else the page's handlers are
 * not shown what fails behind it (HTML, "muted errors"), such as a request that it passes on.
 */
const FOR_ANY_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

const unpack = promisify(gunzip);

/** An Elysia plugin that serves the console. */
export function consolePages(config: Config) {
  let loading: Promise<BuiltConsole> | undefined;
  const load = () => {
    loading ??= builtConsole().then(JSON.parse, (error) => {
      const detail = 'The console is not built: `npm run build` makes it.';
      throw new Problem('unavailable', detail, { cause: error });
    });
    return loading;
  };
  return new Elysia({ name: 'console' })
    .get(servePage('/'), async ({ request }) => {
      const [{ page }, demo] = await Promise.all([load(), demoToken(config)]);
      const html = asset(page.replace('{{demo}}', demo), 'text/html; charset=utf-8');
      return send(request, html, REVALIDATED, { 'Content-Security-Policy': POLICY });
    })
    .get(servePage('/console/:file'), async ({ request, params }) => {
      const { files } = await load();
      const file = Object.hasOwn(files, params.file) ? files[params.file] : undefined;
      if (!file) throw unrouted(request);
      return sendFile(request, params.file, file, FOR_EVER);
    })
    .get(servePage('/widget.js'), async ({ request }) => {
      const { widget } = await load();
      const { hash } = asset(widget.content, widget.mediaType);
      return sendFile(request, hash, widget, REVALIDATED, FOR_ANY_ORIGIN);
    });
}

async function sendFile(
  request: Request,
  name: string,
  file: BuiltFile,
  cacheControl: string,
  more: Record<string, string> = {},
): Promise<Response> {
  const stored = Buffer.from(file.content, 'base64');
  const packed = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  const bytes = new Uint8Array(packed ? stored : await unpack(stored));
  const built: Asset = { bytes, mediaType: file.mediaType, hash: packed ? `${name}-gzip` : name };
  return send(request, built, cacheControl, {
    ...more,
    Vary: 'Accept-Encoding',
    ...(packed && { 'Content-Encoding': 'gzip' }),
  });
}

/** The token of the demo project, for all to see where the demo is on; empty elsewhere. */
async function demoToken({ demo, dataDir }: Config): Promise<string> {
  if (!demo) return '';
  return (await readFile(join(dataDir, 'demo.token'), 'utf8').catch(() => '')).trim();
}
