// Reads a JSON report whole, within its limit, and keeps what a truncated one holds.

import { scanJson } from './json-scan.ts';
import type { ReaderContext } from './model.ts';

export interface JsonInput {
  write(chunk: Uint8Array): void;
  /** The document, undefined where there is none; the problems are noted. */
  end(): JsonDocument | undefined;
}

export interface JsonDocument {
  value: unknown;
  /** Keys and indexes from the root to the value that was not complete; undefined for a whole one. */
  open: (string | number)[] | undefined;
}

/** Collects the bytes of a JSON report. */
export function createJsonInput({ limits, problems }: ReaderContext): JsonInput {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  let beyond = false;
  return { write, end };

  function write(chunk: Uint8Array): void {
    if (beyond) return;
    const room = limits.jsonBytes - bytes;
    beyond = chunk.length > room;
    // Chunks may be views of a buffer that is used again.
    chunks.push(chunk.slice(0, room));
    bytes += Math.min(chunk.length, room);
  }

  function end(): JsonDocument | undefined {
    if (beyond) {
      problems.error('too_large', `more than ${limits.jsonBytes} bytes: the rest is not read`);
    }
    const text = decoded(Buffer.concat(chunks));
    chunks = [];
    if (/^\s*$/.test(text)) {
      problems.error('cut_off', 'the report is empty');
      return undefined;
    }
    try {
      return { value: JSON.parse(text), open: undefined };
    } catch {
      return salvaged(text);
    }
  }

  function decoded(all: Buffer): string {
    const [a, b] = all;
    const wide = a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : '';
    const text = new TextDecoder(wide === '' ? 'utf-8' : wide).decode(all);
    // RFC 8259, section 8.1: UTF-8. What is not stays readable around it.
    if (text.includes('\uFFFD')) {
      problems.warning('undecodable', 'bytes that are not text in UTF-8');
    }
    return text;
  }

  function salvaged(text: string): JsonDocument | undefined {
    const scan = scanJson(text);
    if (scan.cut) problems.error('cut_off', 'the report ends before its end', { line: scan.line });
    else problems.error('not_well_formed', 'not JSON from here on', { line: scan.line });
    if (scan.salvaged === undefined) return undefined;
    try {
      return { value: JSON.parse(scan.salvaged), open: scan.open };
    } catch {
      return undefined;
    }
  }
}

/** A member of the document that is not complete, by the path to its list; -1 where none is. */
export function openIndex(document: JsonDocument, path: readonly string[]): number {
  const { open } = document;
  if (open === undefined || open.length <= path.length) return -1;
  const index = open[path.length];
  const there = path.every((key, at) => open[at] === key);
  return there && typeof index === 'number' ? index : -1;
}
