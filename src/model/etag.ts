// Entity tags: the version of a resource and a hash of its body, `"<version>-<hash>"`. A write's
// If-Match is compared by the version, a read's If-None-Match by the whole tag (RFC 9110, 13.1).
import { hash } from 'node:crypto';
import { Problem } from '../errors.ts';

export function etagOf(version: number, body: string): string {
  return etagFrom(version, hash('sha256', body, 'base64url'));
}

/** @param sha256 - of the body, in base64url */
export function etagFrom(version: number, sha256: string): string {
  return `"${version}-${sha256.slice(0, 16)}"`;
}

/** Whether an `If-None-Match` header names the tag (weak comparison). */
export function matchesAny(header: string, etag: string): boolean {
  // One strong tag, as nearly every client sends it, needs no parsing.
  if (header === etag || header.trim() === '*') return true;
  return tagsOf(header).some((tag) => tag.replace(/^W\//, '') === etag);
}

/**
 * Checks an `If-Match` header against the version of the resource.
 * @throws Problem `precondition_failed` when none of its tags has this version
 */
export function requireMatch(header: string | null, version: number): void {
  if (header === null || header.trim() === '*') return;
  const versions = tagsOf(header).map((tag) => /^"(\d+)(?:-[^"]*)?"$/.exec(tag)?.[1]);
  if (versions.includes(String(version))) return;
  throw new Problem('precondition_failed', `The resource is at version ${version}.`);
}

function tagsOf(header: string): string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}
