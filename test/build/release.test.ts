// What `npm run release` puts around the executable, without building one.
import { describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { tarGz } from '../../scripts/release/archive.ts';
import { debianPackage } from '../../scripts/release/deb.ts';
import { noticeText } from '../../scripts/release/notice.ts';
import { sbomText } from '../../scripts/release/sbom.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MTIME = 1_700_000_000;
const files = [
  { path: 'usr/bin/pqrs', content: '#!/bin/sh\n', mode: 0o755 },
  { path: 'usr/share/doc/pqrs/README.md', content: 'x'.repeat(1000) },
];

function run(...command: string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync(command);
  expect({ stderr: stderr.toString(), exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return stdout.toString();
}

describe('an archive', () => {
  test('is unpacked by tar, with modes and times', () => {
    const folder = temporaryFolder('archive');
    writeFileSync(join(folder, 'a.tar.gz'), tarGz(files, MTIME));
    run('tar', '-xzf', join(folder, 'a.tar.gz'), '-C', folder);
    const executable = statSync(join(folder, 'usr/bin/pqrs'));
    expect(executable.mode & 0o777).toBe(0o755);
    expect(executable.mtimeMs).toBe(MTIME * 1000);
    expect(statSync(join(folder, 'usr/share/doc/pqrs/README.md')).size).toBe(1000);
  });

  test('has the same bytes for the same files', () => {
    expect(tarGz(files, MTIME).equals(tarGz(files.toReversed(), MTIME))).toBe(true);
  });
});

test.skipIf(!Bun.which('dpkg-deb'))('a Debian package is read by dpkg-deb', () => {
  const folder = temporaryFolder('deb');
  const path = join(folder, 'a.deb');
  const info = { version: '1.2.0-rc.1', architecture: 'arm64', description: 'Pqrs: it serves' };
  writeFileSync(path, debianPackage(files, { ...info, mtime: MTIME }));
  expect(run('dpkg-deb', '--field', path, 'Version')).toBe('1.2.0~rc.1\n');
  expect(run('dpkg-deb', '--field', path, 'Architecture')).toBe('arm64\n');
  mkdirSync(join(folder, 'root'));
  run('dpkg-deb', '--extract', path, join(folder, 'root'));
  expect(readdirSync(join(folder, 'root/usr/bin'))).toEqual(['pqrs']);
});

test('NOTICE names every production dependency and Bun', () => {
  const notice = noticeText('1.2.3');
  const titles = notice.split('\n').filter((line) => /^\S+ \d/.test(line));
  expect(titles).toContain('Bun 1.2.3');
  for (const [name, version] of Object.entries(manifest.dependencies))
    expect(titles.some((title) => title.startsWith(`${name} ${version} (`))).toBe(true);
  expect(notice).toContain('Permission is hereby granted');
});

test.skipIf(!Bun.which('npm'))('the bill of materials has what is bundled', () => {
  const bundled = {
    version: '1.2.3',
    bunVersion: '4.5.6',
    platformPackages: ['@libsql/darwin-x64'],
  };
  const text = sbomText({ ...bundled, mtime: MTIME });
  const { bomFormat, components, metadata, dependencies } = JSON.parse(text);
  expect(bomFormat).toBe('CycloneDX');
  expect(metadata.component.name).toBe('pqrs');
  const names = components.map(({ name }: { name: string }) => name);
  expect(names).toContain('bun');
  expect(names).not.toContain('typescript');
  expect(metadata.timestamp).toBe(new Date(MTIME * 1000).toISOString());
  expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
  expect(names.filter((name: string) => /^@libsql\/(linux|darwin|win32)/.test(name))).toEqual([
    '@libsql/darwin-x64',
  ]);
  const refs = new Set(components.map((one: { 'bom-ref': string }) => one['bom-ref']));
  for (const { dependsOn } of dependencies as { dependsOn: string[] }[])
    for (const ref of dependsOn) expect(refs).toContain(ref);
});
