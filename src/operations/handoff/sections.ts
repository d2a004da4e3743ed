// The sections of a handoff that were asked for. Its entity tag has a hash of each, so that a caller
// that sends it again gets what has changed.
import { hash } from 'node:crypto';
import { type Handoff, type HandoffPart, SECTIONS } from './model.ts';

const HASH_LENGTH = 6;
const NOT_ASKED = '-'.repeat(HASH_LENGTH);
const DEFAULT_SECTIONS: readonly string[] = SECTIONS.filter((name) => name !== 'limits');

interface Wanted {
  section?: readonly string[];
  /** The entity tag of an earlier answer; one of another version knows no section. */
  since?: string;
}

export function cutHandoff(
  { schemaVersion, ...sections }: Handoff,
  { section = DEFAULT_SECTIONS, since }: Wanted,
): { part: HandoffPart; etag: string } {
  const hashes = SECTIONS.map((name) =>
    section.includes(name)
      ? hash('sha256', JSON.stringify(sections[name]), 'base64url').slice(0, HASH_LENGTH)
      : NOT_ASKED,
  );
  const prefix = `${schemaVersion}-`;
  const tag = `${prefix}${hashes.join('')}`;
  const shown = since?.replaceAll('"', '') ?? '';
  const isKnown = shown.length === tag.length && shown.startsWith(prefix);
  const changed = SECTIONS.filter((_, at) => {
    const place = prefix.length + at * HASH_LENGTH;
    const before = isKnown ? shown.slice(place, place + HASH_LENGTH) : NOT_ASKED;
    return hashes[at] !== NOT_ASKED && hashes[at] !== before;
  });
  const part = Object.fromEntries(changed.map((name) => [name, sections[name]]));
  return { part: { schemaVersion, ...part }, etag: `"${tag}"` };
}
