// `npm run release`: an archive of pqrs for each platform, Debian packages, NOTICE, bill of materials and
// checksums, in dist/release. `--target NAME` (again and again) builds for these platforms alone. The
// same commit makes the same bytes: times are those of SOURCE_DATE_EPOCH, else of the commit.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { SCRIPTS } from '../src/cli/commands/completion.ts';
import { root } from './install.mjs';
import { type Entry, tarGz } from './release/archive.ts';
import { debianPackage } from './release/deb.ts';
import { noticeText } from './release/notice.ts';
import { packageFolder } from './release/packages.ts';
import { sbomText } from './release/sbom.ts';

interface Target {
  name: string;
  libsql: string;
  bun: string;
  /** Its architecture in Debian's terms. */
  debian?: string;
  /** A release without it is none. */
  required?: true;
}

const TARGETS: readonly Target[] = [
  { name: 'linux-x64', libsql: 'linux-x64-gnu', bun: 'linux-x64', debian: 'amd64', required: true },
  {
    name: 'linux-arm64',
    libsql: 'linux-arm64-gnu',
    bun: 'linux-aarch64',
    debian: 'arm64',
    required: true,
  },
  { name: 'linux-x64-musl', libsql: 'linux-x64-musl', bun: 'linux-x64-musl' },
  { name: 'linux-arm64-musl', libsql: 'linux-arm64-musl', bun: 'linux-aarch64-musl' },
  { name: 'darwin-x64', libsql: 'darwin-x64', bun: 'darwin-x64' },
  { name: 'darwin-arm64', libsql: 'darwin-arm64', bun: 'darwin-aarch64' },
];

const { version, description } = manifest;
const bunVersion = manifest.devDependencies.bun;
const release = join(root, 'dist', 'release');
const { values } = parseArgs({ options: { target: { type: 'string', multiple: true } } });
const unknown = values.target?.find((name) => !TARGETS.some((target) => target.name === name));
if (unknown !== undefined) {
  console.error(`${unknown} is no target; there are ${TARGETS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const wanted = TARGETS.filter(({ name }) => values.target?.includes(name) ?? true);
const mtime = releaseTime();

rmSync(release, { recursive: true, force: true });
mkdirSync(release, { recursive: true });
const sums: string[] = [];
const documents: Entry[] = [
  { path: 'LICENSE', content: readFileSync(join(root, 'LICENSE')) },
  { path: 'NOTICE', content: noticeText(bunVersion) },
  { path: 'README.md', content: readFileSync(join(root, 'README.md')) },
];
const completions: Entry[] = [
  { path: 'completion/pqrs.bash', content: SCRIPTS.bash },
  { path: 'completion/_pqrs', content: SCRIPTS.zsh },
  { path: 'completion/pqrs.fish', content: SCRIPTS.fish },
];
const unit = operationsFile('pqrs.service');
const containerfile = operationsFile('Containerfile');

const platformPackages: string[] = [];
for (const target of wanted) {
  try {
    await makeTarget(target);
    platformPackages.push(`@libsql/${target.libsql}`);
  } catch (error) {
    skipped(`pqrs for ${target.name}`, error);
    if (target.required) process.exitCode = 1;
  }
}
put('Containerfile', containerfile.content);
put('NOTICE', documents[1]?.content ?? '');
try {
  put(`pqrs-${version}.cdx.json`, sbomText({ version, bunVersion, platformPackages, mtime }));
} catch (error) {
  skipped('the bill of materials', error);
}
writeFileSync(join(release, 'SHA256SUMS'), sums.sort(byName).join(''));

async function makeTarget(target: Target): Promise<void> {
  const executable = { path: 'pqrs', content: await compile(target), mode: 0o755 };
  const own = [executable, ...documents, ...completions];
  if (target.name.startsWith('linux-')) own.push(unit);
  if (target.debian !== undefined) own.push(containerfile);
  const folder = `pqrs-${version}-${target.name}`;
  const files = own.map((file) => ({ ...file, path: `${folder}/${file.path}` }));
  put(`${folder}.tar.gz`, tarGz(files, mtime));
  if (target.debian === undefined) return;
  const info = { version, architecture: target.debian, description, mtime };
  put(`pqrs_${version}_${target.debian}.deb`, debianPackage(installed(executable), info));
}

async function compile({ name, libsql, bun }: Target): Promise<Buffer> {
  const runtime = join(await packageFolder(`@oven/bun-${bun}`), 'bin', 'bun');
  const addon = join(await packageFolder(`@libsql/${libsql}`), 'index.node');
  const folder = join(release, `.${name}`);
  const outfile = join(folder, 'pqrs');
  const script = join(root, 'scripts', 'build.ts');
  const options = { outfile, target: libsql, runtime, addon };
  const args = Object.entries(options).flatMap(([key, value]) => [`--${key}`, value]);
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: root });
  try {
    if (status !== 0) throw new Error(stderr.toString().trim().split('\n')[0]);
    return readFileSync(outfile);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function operationsFile(path: string): Entry {
  return { path, content: readFileSync(join(root, 'scripts', 'operations', path)) };
}

/** Where a Debian package puts what the archives have. */
function installed(executable: Entry): Entry[] {
  const places: Record<string, string> = {
    pqrs: 'usr/bin/pqrs',
    LICENSE: 'usr/share/doc/pqrs/copyright',
    NOTICE: 'usr/share/doc/pqrs/NOTICE',
    'README.md': 'usr/share/doc/pqrs/README.md',
    'pqrs.service': 'usr/lib/systemd/system/pqrs.service',
    'completion/pqrs.bash': 'usr/share/bash-completion/completions/pqrs',
    'completion/_pqrs': 'usr/share/zsh/vendor-completions/_pqrs',
    'completion/pqrs.fish': 'usr/share/fish/vendor_completions.d/pqrs.fish',
  };
  return [executable, ...documents, ...completions, unit].map((file) => ({
    ...file,
    path: places[file.path] ?? file.path,
  }));
}

function put(name: string, content: string | Uint8Array): void {
  writeFileSync(join(release, name), content);
  sums.push(`${createHash('sha256').update(content).digest('hex')}  ${name}\n`);
  console.log(`${name.padEnd(40)}${String(Buffer.byteLength(content)).padStart(12)} bytes`);
}

function byName(a: string, b: string): number {
  return a.slice(64) < b.slice(64) ? -1 : 1;
}

function skipped(what: string, error: unknown): void {
  console.error(`skipped ${what}: ${error instanceof Error ? error.message : error}`);
}

/** Seconds since 1970. */
function releaseTime(): number {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined && /^\d{1,10}$/.test(given)) return Number(given);
  const commit = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root });
  return Number(commit.stdout?.toString() ?? 0) || 0;
}
