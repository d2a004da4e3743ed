// Feeds the bytes of an XML report to saxes as they come, goes on after what is not well-formed, and
// bounds what the parser holds. Nothing is ever expanded or fetched.
import { SaxesParser } from 'saxes';
import { xmlEncoding } from '../../requirements/sources/tree/xml-encoding.ts';
import type { Problems } from './model.ts';

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

const MAX_DEPTH = 1000;
/** Of one element that has not ended yet when a chunk has. */
const MAX_ATTRIBUTES = 500;
const MAX_NAME = 64 * 1024;
const MAX_TEXT = 1024 * 1024;
const MAX_FAULTS = 100_000;
const HEAD_BYTES = 256;

class BeyondLimits extends Error {}

/** What saxes 6 holds of a token that has not ended; its types hide it. */
interface Unfinished {
  text: string;
  name: string;
  entity: string;
  attribList: unknown[];
}

export function createXmlInput(handlers: XmlHandlers, problems: Problems): XmlInput {
  const parser = new SaxesParser();
  const unfinished = parser as unknown as Unfinished;
  let decoder: TextDecoder | undefined;
  let start: Uint8Array = new Uint8Array(0);
  let begun = false;
  let stopped = false;
  let ending = false;
  let whole = true;
  let depth = 0;
  let faults = 0;

  parser.on('opentag', ({ name, attributes }) => {
    depth += 1;
    if (depth > MAX_DEPTH) throw new BeyondLimits(`elements nested more than ${MAX_DEPTH} deep`);
    const colon = name.indexOf(':');
    handlers.open(colon === -1 ? name : name.slice(colon + 1), attributes);
  });
  parser.on('closetag', () => {
    depth -= 1;
    handlers.close();
  });
  parser.on('text', (text) => handlers.text(text));
  parser.on('cdata', (text) => handlers.text(text));
  parser.on('error', ({ message }) => {
    faults += 1;
    if (ending) whole = false;
    else report(message.replace(/^\d+:\d+: /, '').replace(/\.$/, ''));
    if (faults > MAX_FAULTS) throw new BeyondLimits('too much that is not well-formed');
  });

  return {
    write(chunk) {
      if (stopped) return;
      if (decoder !== undefined) {
        feed(decoder.decode(chunk, { stream: true }));
        return;
      }
      start = Buffer.concat([start, chunk]);
      if (start.length >= HEAD_BYTES) startDecoding();
    },
    end() {
      if (!stopped && decoder === undefined) startDecoding();
      feed(decoder?.decode() ?? '');
      ending = true;
      if (!stopped) guarded(() => parser.close());
      return stopped ? 'stopped' : whole ? 'whole' : 'cut';
    },
  };

  function report(message: string): void {
    // Terminal colours in a message break XML in many reports, and nothing is lost by them.
    if (message === 'disallowed character' || message === 'malformed character entity') return;
    const at = { line: parser.line };
    if (message === 'undefined entity') {
      problems.add('unexpanded_entity', 'an entity, which is not expanded', at);
    } else problems.add('not_well_formed', `not well-formed: ${message}`, at);
  }

  function startDecoding(): void {
    const { label, declared } = xmlEncoding(start);
    decoder = label === undefined ? decoderOf(declared) : new TextDecoder(label);
    const text = decoder.decode(start, { stream: true });
    start = new Uint8Array(0);
    feed(text);
  }

  function feed(text: string): void {
    const chunk = begun ? text : text.trimStart();
    if (stopped || chunk === '') return;
    begun = true;
    guarded(() => {
      parser.write(chunk);
      const { name, entity, attribList } = unfinished;
      if (unfinished.text.length > MAX_TEXT) {
        // A run's output in one piece may be of any size: its rest is no use to anyone.
        unfinished.text = unfinished.text.slice(0, MAX_TEXT / 2);
      }
      if (name.length > MAX_NAME || entity.length > MAX_NAME) {
        throw new BeyondLimits('a name without end');
      }
      if (attribList.length > MAX_ATTRIBUTES) {
        throw new BeyondLimits(`more than ${MAX_ATTRIBUTES} attributes in one element`);
      }
    });
  }

  function guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof BeyondLimits)) throw error;
      stopped = true;
      problems.add('too_large', `${error.message}: the rest is not read`, { line: parser.line });
    }
  }
}

/** A decoder for what the WHATWG Encoding Standard knows by that name, else for UTF-8. */
function decoderOf(declared: string | null): TextDecoder {
  const isWide = /^(?:utf-?(?:16|32)|ucs)/i.test(declared ?? '');
  try {
    return new TextDecoder((isWide ? 'utf-8' : declared) as 'utf-8');
  } catch {
    return new TextDecoder();
  }
}
