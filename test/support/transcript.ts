// What was asked and answered in a test, with everything that differs from one run to the next
// replaced by names, so that the runs under both prefixes can be compared.
import { createHash } from 'node:crypto';
import type { Answer } from './answer.ts';

export interface Exchange {
  asked: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface Transcript {
  add(answer: Answer): void;
  exchanges: Exchange[];
}

/** Headers that may differ between the prefixes, and what follows from a body that does. */
const APART =
  /^(?:date|x-request-id|ratelimit.*|content-length|connection|keep-alive|transfer-encoding)$/;

/** Characters of a body that is compared as text; a longer one is compared by its hash. */
const TEXT_MOST = 50_000;

/**
 * Begins a transcript.
 *
 * @param unique - the word by which the run tells its own things from all others
 */
export function beginTranscript(unique: string): Transcript {
  const named = new Map<string, string>();
  const counts = new Map<string, number>();
  const exchanges: Exchange[] = [];

  function nameOf(kind: string, value: string): string {
    const known = named.get(value);
    if (known) return known;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const name = `<${kind} ${count}>`;
    named.set(value, name);
    return name;
  }

  function plain(text: string): string {
    return (
      text
        // The same test was sent under the other prefix before.
        .replace(/"strip":\[[^\]]*\],"failingSince":(?:null|\{[^}]*\})/g, '"strip":<strip>')
        .replaceAll(unique, '<unique>')
        .replaceAll(unique.toUpperCase(), '<UNIQUE>')
        .replace(/pqrs_[0-9a-z]{26}_[0-9a-z]{52}/g, '<token>')
        .replace(/\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}\b/g, (id, kind: string) => nameOf(kind, id))
        .replace(/\b[0-9a-hjkmnp-tv-z]{52}\b/gi, (key) => nameOf('key', key))
        .replace(/\b[0-9a-f]{64}\b/g, (hash) => nameOf('sha256', hash))
        .replace(/\b[il]1(?::|%3A)[\w-]{32}/g, (print) => nameOf('fingerprint', print))
        .replace(/"(\d+)-[\w-]{16,}"/g, '"$1-<hash>"')
        .replace(/expires=\d+/g, 'expires=<time>')
        .replace(/signature=[\w%+-]+/g, 'signature=<signature>')
        .replace(/cursor=[\w-]+/g, 'cursor=<cursor>')
        .replace(/"nextCursor":"[\w-]+"/g, '"nextCursor":"<cursor>"')
        .replace(/"requestId":"[^"]*"/g, '"requestId":"<id>"')
        .replace(/"(number|observedValue|uptimeMs)":[\d.]+/g, '"$1":<number>')
        // An added story stands behind those that were added before it, by whoever it was.
        .replace(/("source":\{"path":"story-additions\/[^}]*\},"order":)\d+/g, '$1<number>')
        .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    );
  }

  return {
    exchanges,
    add({ asked, status, headers, text }) {
      const kept = [...headers].filter(([name]) => !APART.test(name));
      exchanges.push({
        asked: plain(asked),
        status,
        headers: Object.fromEntries(
          kept.map(([name, value]) => [name, name === 'retry-after' ? '<seconds>' : plain(value)]),
        ),
        body: shortened(plain(text)),
      });
    },
  };
}

function shortened(text: string): string {
  if (text.length <= TEXT_MOST) return text;
  return `${text.length} characters ${createHash('sha256').update(text).digest('hex')}`;
}
