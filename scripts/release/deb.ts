// A Debian package of the executable, its unit, completions and documents.
import { createHash } from 'node:crypto';
import { ar, type Entry, tarGz } from './archive.ts';

interface PackageInfo {
  version: string;
  /** In Debian's terms, such as `amd64`. */
  architecture: string;
  description: string;
  mtime: number;
}

// A service that runs takes the new executable; one that was stopped stays so.
const POSTINST = `#!/bin/sh
set -e
if [ "$1" = configure ] && [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl try-restart pqrs.service
fi
`;
const PRERM = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl disable --now pqrs.service
fi
`;

/**
 * Makes a binary package.
 * @param files where they are installed, without the leading slash
 */
export function debianPackage(files: readonly Entry[], info: PackageInfo): Buffer {
  const { version, architecture, description, mtime } = info;
  const bytes = files.reduce((total, { content }) => total + Buffer.byteLength(content), 0);
  const [summary, ...more] = description.split(': ');
  const control = [
    'Package: pqrs',
    // A pre-release comes before its release there too.
    `Version: ${version.replace('-', '~')}`,
    `Architecture: ${architecture}`,
    'Maintainer: pqrs <pqrs@localhost>',
    `Installed-Size: ${Math.ceil(bytes / 1024)}`,
    'Depends: libc6 (>= 2.18), libgcc-s1',
    'Section: devel',
    'Priority: optional',
    `Description: ${summary}`,
    ` ${more.join(': ')}`,
    '',
  ].join('\n');
  const md5sums = files.map(
    ({ path, content }) => `${createHash('md5').update(content).digest('hex')}  ${path}\n`,
  );
  const controlFiles = [
    { path: './control', content: control },
    { path: './md5sums', content: md5sums.sort().join('') },
    { path: './postinst', content: POSTINST, mode: 0o755 },
    { path: './prerm', content: PRERM, mode: 0o755 },
  ];
  const installed = files.map((file) => ({ ...file, path: `./${file.path}` }));
  const parts = [
    { path: 'debian-binary', content: '2.0\n' },
    { path: 'control.tar.gz', content: tarGz([folder('./'), ...controlFiles], mtime) },
    { path: 'data.tar.gz', content: tarGz([...foldersOf(installed), ...installed], mtime) },
  ];
  return ar(parts, mtime);
}

function foldersOf(files: readonly Entry[]): Entry[] {
  const paths = new Set<string>();
  for (const { path } of files) {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
      paths.add(path.slice(0, end + 1));
  }
  return [...paths].map(folder);
}

function folder(path: string): Entry {
  return { path, content: '' };
}
