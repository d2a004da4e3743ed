// `npm run build`: compiles src/main.ts and everything it uses into one executable, dist/pqrs.
// `--outfile <path>` names another file, `--entry <path>` another entry point. For another platform,
// `--target`, `--runtime` and `--addon` name it in libsql's terms, the Bun and the libSQL of it.
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { apiDocument } from '../src/app.ts';
import { clientText, embedClient } from './build-client.ts';
import { consoleText, embedConsole } from './build-console.ts';
import { embedLibsql, installedAddon } from './build-libsql.ts';
import { withoutTransports } from './build-pino.ts';
import { distFolder, executable, sourceHash, stateFile } from './build-state.mjs';
import { root } from './install.mjs';

/** Modules that run in workers (`src/...`): each is an entry point of its own in the executable. */
const WORKERS: readonly string[] = [
  'src/requirements/import/worker.ts',
  'src/requirements/export/worker.ts',
  'src/agents/recording/worker.ts',
  'src/operations/worker.ts',
];

const { values } = parseArgs({
  options: {
    outfile: { type: 'string' },
    entry: { type: 'string', default: 'src/main.ts' },
    target: { type: 'string' },
    runtime: { type: 'string' },
    addon: { type: 'string' },
  },
});
const outfile = values.outfile === undefined ? executable : resolve(values.outfile);

// Taken first: what is edited during the build makes its result stale.
const hash = sourceHash();
// The executable has its own name in it: the folder differs, so that two builds make the same bytes.
const partialFolder = join(dirname(outfile), `.build-${process.pid}`);
const partial = join(partialFolder, 'pqrs');
mkdirSync(partialFolder, { recursive: true });
try {
  await compile(partial);
  chmodSync(partial, 0o755);
  renameSync(partial, outfile);
} catch (error) {
  console.error(error instanceof AggregateError ? error.errors.join('\n') : error);
  process.exitCode = 1;
} finally {
  rmSync(partialFolder, { recursive: true, force: true });
}
if (process.exitCode !== 1 && outfile === executable) writeFileSync(stateFile, hash);

async function compile(target: string): Promise<void> {
  const console = await consoleText();
  mkdirSync(distFolder, { recursive: true });
  writeFileSync(join(distFolder, 'console.json'), console);
  await Bun.build({
    entrypoints: [values.entry, ...WORKERS].map((entry) => resolve(root, entry)),
    // A worker's address in the executable is its path in src: `./quality/worker.ts` beside main.
    root: join(root, 'src'),
    plugins: [
      embedLibsql(values.addon ?? installedAddon(libsqlTarget())),
      embedClient(async () => clientText(await apiDocument())),
      embedConsole(console),
      withoutTransports(),
    ],
    // Elysia reads the text of its handlers, so names must stay as they are written.
    minify: { whitespace: true, syntax: true, identifiers: false },
    sourcemap: 'none',
    // Parsed once, here: without it most of the time to the first answer goes into parsing.
    bytecode: true,
    format: 'esm',
    // What is loaded when it is first needed lies apart, so that a start does not read it.
    splitting: true,
    compile: {
      outfile: target,
      ...(values.runtime !== undefined && {
        target: bunTarget(values.target ?? libsqlTarget()),
        executablePath: values.runtime,
      }),
      // The folder it is started in is not the executable's own: nothing in it may change what runs.
      autoloadBunfig: false,
      autoloadDotenv: false,
      autoloadPackageJson: false,
      autoloadTsconfig: false,
    },
  });
}

/** The platform of the running Bun (which becomes part of the executable), in libsql's terms. */
function libsqlTarget(): string {
  const { platform, arch } = process;
  if (platform === 'win32') return `win32-${arch}-msvc`;
  if (platform !== 'linux') return `${platform}-${arch}`;
  const require = createRequire(import.meta.url);
  const { familySync, MUSL } = require('detect-libc');
  return `linux-${arch}-${familySync() === MUSL ? 'musl' : 'gnu'}`;
}

/** A platform of libsql in Bun's terms: `linux-arm64-gnu` is `bun-linux-arm64`. */
function bunTarget(target: string): Bun.Build.CompileTarget {
  return `bun-${target.replace(/-gnu$/, '')}` as Bun.Build.CompileTarget;
}
