// The build's change to libsql: its addon becomes part of the executable and is loaded by
// src/runtime/native.ts, when the first database is opened. The package asks for
// `@libsql/${target}` at run time, which no bundler can follow.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { BunPlugin } from 'bun';

const ADDON = 'pqrs:libsql-addon';
const nativeLoader = fileURLToPath(new URL('../src/runtime/native.ts', import.meta.url));

/**
 * A bundler plugin that embeds libsql's addon.
 * @param addonFile the addon of the platform that is built for
 */
export function embedLibsql(addonFile: string): BunPlugin {
  return {
    name: 'embed-libsql',
    setup(build) {
      build.onLoad({ filter: /[\\/]node_modules[\\/]libsql[\\/](index|promise)\.js$/ }, (file) => ({
        contents: deferAddon(readFileSync(file.path, 'utf8'), file.path),
        loader: 'js',
      }));
      build.onResolve({ filter: /^pqrs:libsql-addon$/ }, (request) => ({
        path: request.path,
        namespace: 'pqrs',
      }));
      build.onLoad({ filter: /.*/, namespace: 'pqrs' }, () => ({
        contents: addonModule(addonFile),
        loader: 'js',
      }));
    },
  };
}

/**
 * Rewrites libsql's entry so that the addon is loaded by the first call of any of its functions.
 * @throws when the text is not the one this was written for.
 */
export function deferAddon(source: string, path: string): string {
  const match = /const \{([\w\s,]*)\} = requireNative\(\);/.exec(source);
  const names = (match?.[1] ?? '').split(',').flatMap((name) => name.trim() || []);
  if (match === null || !names.includes('databaseOpen')) {
    throw new Error(
      `${path} does not load its addon in the known way: adapt scripts/build-libsql.ts.`,
    );
  }
  const deferred = [
    `let ${names.join(', ')};`,
    `const loadAddonOnce = () => { ({ ${names.join(', ')} } = require('${ADDON}').load()); };`,
    ...names.map(
      (name) => `${name} = function (...a) { loadAddonOnce(); return ${name}.apply(this, a); };`,
    ),
  ].join('\n');
  const requireNative = /function requireNative\(\) \{[\s\S]*?\n\}\n/;
  if (!requireNative.test(source)) {
    throw new Error(`${path} has no requireNative(): adapt scripts/build-libsql.ts.`);
  }
  return source.replace(match[0], () => deferred).replace(requireNative, '');
}

function addonModule(addonFile: string): string {
  const bytes = readFileSync(addonFile);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const known = `sha256: '${sha256}', crc32: ${Bun.hash.crc32(bytes)}, bytes: ${bytes.byteLength}`;
  return [
    `import file from ${JSON.stringify(addonFile)} with { type: 'file' };`,
    `import { loadAddon } from ${JSON.stringify(nativeLoader)};`,
    `export const load = () => loadAddon({ file, ${known} });`,
  ].join('\n');
}

/**
 * The file of the installed addon.
 * @param target a platform in libsql's terms, for example `linux-x64-gnu`
 * @throws when that package is not installed
 */
export function installedAddon(target: string): string {
  const require = createRequire(import.meta.url);
  try {
    return require.resolve(`@libsql/${target}/index.node`);
  } catch {
    throw new Error(`The package @libsql/${target} is not installed.`);
  }
}
