// Fingerprints by which reports of the same thing are known: hashes of what stays the same when it
// happens again, with the numbers folded out. The prefix names the algorithm.
import { hash } from 'node:crypto';

export interface IssueIdentity {
  title: string;
  route: string | null;
  /** Type and message of the first error that the page saw. */
  error: { type: string; message: string } | null;
}

export function issueFingerprint({ title, route, error }: IssueIdentity): string | null {
  if (!route && !error) return null;
  const parts = [
    foldNumbers(title),
    route ? foldNumbers(route) : null,
    error ? [error.type, foldNumbers(error.message)] : null,
  ];
  return `i1:${digest(parts)}`;
}

/** The fingerprint of a log entry, `l1:` and a hash. */
export function logFingerprint(entry: {
  level: string;
  source: string | null;
  message: string;
}): string {
  return `l1:${digest([entry.level, entry.source, foldNumbers(entry.message)])}`;
}

/**
 * A text with what differs from one time to the next folded away: UUIDs, hexadecimal numbers of
 * eight digits and more, every other number, white space and letter case.
 */
export function foldNumbers(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '#')
    .replace(/\b(?:0x[0-9a-f]+|(?=[a-f]*\d)[0-9a-f]{8,})\b/g, '#')
    .replace(/\d+(?:[.,:]\d+)*/g, '#')
    .replace(/\s+/g, ' ')
    .trim();
}

function digest(parts: unknown): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 32);
}
