// Feeds the bytes of an XML report to saxes as they come: decodes them, goes on after what is not
// well-formed, and bounds what the parser holds. Nothing is ever expanded or fetched.
import { SaxesParser } from 'saxes';
import { xmlEncoding } from '../../requirements/sources/tree/xml-encoding.ts';
import type { Problems } from './problems.ts';

export interface XmlHandlers {
  open(name: string, attributes: Record<string, string>): void;
  close(): void;
  text(text: string): void;
}

export interface XmlInput {
  write(chunk: Uint8Array): void;
  /** Says that nothing more comes; gives whether the document was whole, or how it ended. */
  end(): 'whole' | 'cut' | 'stopped';
}

export const XML_LIMITS = {
  depth: 1000,
  /** Of one element that has not ended yet when a chunk has. */
  attributes: 500,
  nameLength: 64 * 1024,
  /** What a text may grow to inside the parser before its rest is dropped. */
  heldText: 1024 * 1024,
  keptText: 512 * 1024,
  faults: 100_000,
} as const;

/** Bytes that are kept back until the encoding is known. */
const HEAD_BYTES = 256;

/** Ends the reading of what is beyond the limits. */
class BeyondLimits extends Error {}

/** What saxes 6 keeps of a token that has not ended; its types hide it. */
interface Held {
  text: string;
  name: string;
  entity: string;
  attribList: unknown[];
}

/** Reads XML for a reader of reports. */
export function createXmlInput(handlers: XmlHandlers, problems: Problems): XmlInput {
  const parser = new SaxesParser();
  const held = parser as unknown as Held;
  let decoder: TextDecoder | undefined;
  let kept: Uint8Array = new Uint8Array(0);
  let begun = false;
  let undecodable = false;
  let stopped = false;
  let ending = false;
  let whole = true;
  let depth = 0;
  let faults = 0;

  parser.on('opentag', (tag) => {
    const { name } = tag;
    depth += 1;
    if (depth > XML_LIMITS.depth) {
      throw new BeyondLimits(`elements nested more than ${XML_LIMITS.depth} deep`);
    }
    const colon = name.indexOf(':');
    handlers.open(colon === -1 ? name : name.slice(colon + 1), tag.attributes);
  });
  parser.on('closetag', () => {
    depth -= 1;
    handlers.close();
  });
  parser.on('text', (text) => handlers.text(text));
  parser.on('cdata', (text) => handlers.text(text));
  parser.on('doctype', () => {
    problems.warning('doctype', 'a document type, which is not read', { line: parser.line });
  });
  parser.on('error', (error) => {
    faults += 1;
    if (ending) whole = false;
    else note(error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, ''));
    if (faults > XML_LIMITS.faults) throw new BeyondLimits('too much that is not well-formed');
  });

  return { write, end };

  function note(message: string): void {
    const at = { line: parser.line };
    if (message === 'undefined entity') {
      problems.error('unexpanded_entity', 'an entity, which is not expanded', at);
    } else if (message === 'disallowed character' || message === 'malformed character entity') {
      problems.warning('disallowed_character', 'a character that XML does not allow', at);
    } else {
      problems.error('not_well_formed', `not well-formed: ${message}`, at);
    }
  }

  function write(chunk: Uint8Array): void {
    if (stopped || chunk.length === 0) return;
    if (decoder === undefined) {
      kept = kept.length === 0 ? chunk.slice() : Buffer.concat([kept, chunk]);
      if (kept.length < HEAD_BYTES) return;
      chunk = startDecoding();
    }
    feed(decode(chunk, true));
  }

  function end(): 'whole' | 'cut' | 'stopped' {
    if (stopped) return 'stopped';
    if (decoder === undefined) feed(decode(startDecoding(), true));
    feed(decode(undefined, false));
    ending = true;
    guarded(() => parser.close());
    if (stopped) return 'stopped';
    return whole ? 'whole' : 'cut';
  }

  function startDecoding(): Uint8Array {
    const { label, declared } = xmlEncoding(kept);
    decoder = new TextDecoder(label ?? 'utf-8');
    if (label === undefined && declared !== null) {
      const other = /^(?:utf-?(?:16|32)|ucs)/i.test(declared) ? undefined : decoderOf(declared);
      if (other === undefined) {
        problems.warning('undecodable', `the encoding ${declared} is not known: read as UTF-8`);
      } else decoder = other;
    }
    const bytes = kept;
    kept = new Uint8Array(0);
    return bytes;
  }

  function decode(chunk: Uint8Array | undefined, stream: boolean): string {
    const text = decoder?.decode(chunk, { stream }) ?? '';
    if (!undecodable && text.includes('\uFFFD')) {
      undecodable = true;
      problems.warning('undecodable', 'bytes that are not text in the encoding of the report');
    }
    if (begun) return text;
    const start = text.trimStart();
    begun = start !== '';
    return start;
  }

  function feed(text: string): void {
    if (stopped || text === '') return;
    guarded(() => {
      parser.write(text);
      if (held.text.length > XML_LIMITS.heldText) {
        // A run's output in one piece may be of any size: its rest is no use to anyone.
        held.text = held.text.slice(0, XML_LIMITS.keptText);
      }
      if (held.name.length > XML_LIMITS.nameLength || held.entity.length > XML_LIMITS.nameLength) {
        throw new BeyondLimits('a name without end');
      }
      if (held.attribList.length > XML_LIMITS.attributes) {
        throw new BeyondLimits(`more than ${XML_LIMITS.attributes} attributes in one element`);
      }
    });
  }

  function guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof BeyondLimits)) throw error;
      stopped = true;
      problems.error('too_large', `${error.message}: the rest is not read`, { line: parser.line });
    }
  }
}

function decoderOf(label: string): TextDecoder | undefined {
  try {
    // Its type lists fewer labels than the WHATWG Encoding Standard has.
    return new TextDecoder(label as 'utf-8');
  } catch {
    return undefined;
  }
}
