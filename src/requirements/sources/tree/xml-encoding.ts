// Decodes XML by its byte order mark or its declaration, in pieces, as XML 1.0 appendix F says.
import { SourceFault } from './fault.ts';

export type EncodingLabel = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

export interface XmlEncoding {
  /** A label of the WHATWG Encoding Standard; undefined where the declared one is not known. */
  label: EncodingLabel | undefined;
  /** As the XML declaration writes it; null where it says none. */
  declared: string | null;
}

const SINGLE_BYTE = /^(iso-?8859-1|iso_8859-1|latin-?1|windows-1252|cp1252|us-ascii|ascii)$/i;

/**
 * What an XML document is written in. A byte order mark wins over the declaration; ISO-8859-1 is
 * read as the windows-1252 that it nearly always is, as browsers do.
 */
export function xmlEncoding(bytes: Uint8Array): XmlEncoding {
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe) return { label: 'utf-16le', declared: null };
  if (a === 0xfe && b === 0xff) return { label: 'utf-16be', declared: null };
  if (a === 0x3c && b === 0 && d === 0) return { label: 'utf-16le', declared: null };
  if (a === 0 && b === 0x3c && c === 0) return { label: 'utf-16be', declared: null };
  const marked = a === 0xef && b === 0xbb && c === 0xbf;
  const head = String.fromCharCode(...bytes.subarray(marked ? 3 : 0, 200));
  const declared =
    /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/.exec(head)?.[1] ?? null;
  if (marked || declared === null || /^utf-?8$/i.test(declared))
    return { label: 'utf-8', declared };
  if (SINGLE_BYTE.test(declared)) return { label: 'windows-1252', declared };
  return { label: undefined, declared };
}

const CHUNK_BYTES = 64 * 1024;

/**
 * The text of a document, piece by piece, without its byte order mark.
 * @throws SourceFault with the line of the first bytes that do not decode
 */
export function* decodeChunks(bytes: Uint8Array, label: EncodingLabel): Generator<string> {
  const decoder = new TextDecoder(label, { fatal: true });
  try {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const text = decoder.decode(bytes.subarray(at, at + CHUNK_BYTES), { stream: true });
      if (text !== '') yield text;
    }
    const rest = decoder.decode();
    if (rest !== '') yield rest;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const message = `The file has bytes that are not valid ${label.toUpperCase()}.`;
    const before = new TextDecoder(label).decode(bytes).split('\uFFFD', 1)[0] ?? '';
    throw new SourceFault(before.split('\n').length, message);
  }
}
