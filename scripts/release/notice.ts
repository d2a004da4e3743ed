// NOTICE: what is bundled in an executable, under which licence, and the texts of those.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../install.mjs';
import { type LockedPackage, lockedPackages } from './packages.ts';

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)/i;

/** The production dependencies that every executable has, each under its path in the repository. */
export function bundledPackages(): (LockedPackage & { path: string })[] {
  return [...lockedPackages()]
    .filter(([, { dev, devOptional, optional }]) => !dev && !devOptional && !optional)
    .map(([path, one]) => ({ ...one, path }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * The text of NOTICE.
 * @param bunVersion of the Bun in the executables
 */
export function noticeText(bunVersion: string): string {
  const own = readFileSync(join(import.meta.dir, 'bun-notice.txt'), 'utf8').trim();
  const texts = new Map<string, string>();
  const sections = bundledPackages().map(({ path, name, version, license }) => {
    const title = `${name} ${version} (${license ?? 'see its text'})`;
    const text = licenceText(join(root, path));
    if (text === '') return `${title}\n\nThe package has no licence text of its own.`;
    const same = texts.get(text);
    if (same !== undefined) return `${title}\n\nThe text is that of ${same}.`;
    texts.set(text, name);
    return `${title}\n\n${text}`;
  });
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  const first = 'pqrs is licensed under the Apache License 2.0 (see LICENSE). It contains:';
  return `${[first, `Bun ${bunVersion}\n\n${own}`, ...sections].join(rule)}\n`;
}

function licenceText(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
    .map(({ name }) => readFileSync(join(folder, name), 'utf8').trim())
    .sort()
    .join('\n\n');
}
