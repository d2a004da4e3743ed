// Builds the web console of src/console into one JSON text, which the executable embeds and which
// lies in dist/ for a server that runs from source.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BuildArtifact, BunPlugin } from 'bun';
import type { BuiltConsole } from '../src/http/console/pages.ts';
import { root } from './install.mjs';

const SOURCE = join(root, 'src/console');

/** @returns a `BuiltConsole` as JSON */
export async function consoleText(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: ['main.tsx', 'theme.ts', 'console.css'].map((name) => join(SOURCE, name)),
    root: SOURCE,
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    naming: {
      entry: '[name]-[hash].[ext]',
      chunk: 'part-[hash].[ext]',
      asset: '[name]-[hash].[ext]',
    },
    // Bun would put them into the style sheet, for each page to load anew.
    external: ['*.woff2'],
    publicPath: '/console/',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const files: BuiltConsole['files'] = {};
  const fonts = new Map(readdirSync(join(SOURCE, 'fonts')).map((name) => [name, hashedFont(name)]));
  for (const [name, hashed] of fonts)
    files[hashed] = fileOf(hashed, readFileSync(join(SOURCE, 'fonts', name)));
  for (const output of outputs) {
    const text = await output.text();
    const named = text.replace(
      /url\("?[^)"]*?([\w-]+\.woff2)"?\)/g,
      (_, name: string) => `url(/console/${fonts.get(name)})`,
    );
    files[nameOf(output)] = fileOf(nameOf(output), Buffer.from(named));
  }
  const widget = fileOf('widget.js', Buffer.from(await widgetText()));
  return JSON.stringify({ page: pageOf(Object.keys(files)), files, widget } satisfies BuiltConsole);
}

/** The reporting widget as one script that needs nothing else and leaves no global. */
async function widgetText(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(SOURCE, 'widget/main.ts')],
    target: 'browser',
    format: 'iife',
    minify: true,
  });
  return outputs[0]?.text() ?? '';
}

/** A bundler plugin that puts the built console into src/http/console/built.ts. */
export function embedConsole(text: string): BunPlugin {
  return {
    name: 'embed-console',
    setup(build) {
      build.onLoad({ filter: /src\/http\/console\/built\.ts$/ }, () => ({
        contents: `export const builtConsole = async () => ${JSON.stringify(text)};`,
        loader: 'ts',
      }));
    },
  };
}

function nameOf({ path }: BuildArtifact): string {
  return basename(path);
}

function hashedFont(name: string): string {
  const hash = Bun.hash(readFileSync(join(SOURCE, 'fonts', name))).toString(36);
  return name.replace('.', `-${hash}.`);
}

function fileOf(name: string, plain: Buffer): BuiltConsole['files'][string] {
  return {
    mediaType: mediaTypeOf(name),
    content: gzipSync(plain, { level: 9 }).toString('base64'),
  };
}

const MEDIA_TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

function mediaTypeOf(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1);
  const mediaType = MEDIA_TYPES[extension];
  if (!mediaType) throw new Error(`${name} has no media type`);
  return mediaType;
}

/** The page, with the built files' names in the place of those in braces. */
function pageOf(names: string[]): string {
  const page = readFileSync(join(SOURCE, 'index.html'), 'utf8');
  return page.replace(/\{\{([\w-]+)\.(\w+)\}\}/g, (_, stem: string, extension: string) => {
    const built = names.find(
      (name) => name.startsWith(`${stem}-`) && name.endsWith(`.${extension}`),
    );
    if (!built) throw new Error(`the page names ${stem}.${extension}, which is not built`);
    return `/console/${built}`;
  });
}

if (import.meta.main) {
  const { files, widget } = JSON.parse(await consoleText()) as BuiltConsole;
  for (const [name, { content }] of Object.entries({ ...files, 'widget.js': widget }))
    console.log(`${Math.ceil((content.length * 3) / 4)} bytes  ${name}`);
}
