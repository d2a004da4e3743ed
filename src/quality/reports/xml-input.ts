// Feeds the bytes of an XML report to saxes as they come, goes on after what is not well-formed, and
// bounds what the parser holds. Nothing is ever expanded or fetched.
import { SaxesParser } from 'saxes';
import { xmlEncoding } from '../../requirements/sources/tree/xml-encoding.ts';
import type { Problems } from './model.ts';

interface XmlHandlers {
  open(name: string, attributes: Record<string, string>): void;
  close(): void;
  text(text: string): void;
}

const MAX_DEPTH = 1000;
/** Of one element that has not ended yet when a chunk has. */
const MAX_ATTRIBUTES = 500;
const MAX_NAME = 64 * 1024;
const MAX_TEXT = 1024 * 1024;
const HEAD_BYTES = 256;

class BeyondLimits extends Error {}

/** What saxes 6 holds of a token that has not ended; its types hide it. */
interface Unfinished {
  text: string;
  name: string;
  entity: string;
  attribList: unknown[];
}

export function createXmlInput(handlers: XmlHandlers, problems: Problems) {
  const parser = new SaxesParser();
  const unfinished = parser as unknown as Unfinished;
  let decoder: TextDecoder | undefined;
  let start: Uint8Array = new Uint8Array(0);
  let state: 'before' | 'inside' | 'ending' | 'cut' | 'stopped' = 'before';
  let depth = 0;

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
    const fault = message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
    const at = { line: parser.line };
    if (state === 'ending') state = 'cut';
    if (state === 'cut') return;
    // Terminal colours in a message break XML in many reports, and nothing is lost by them.
    if (fault === 'disallowed character' || fault === 'malformed character entity') return;
    if (fault === 'undefined entity')
      problems.add('unexpanded_entity', 'an entity, which is not expanded', at);
    else problems.add('not_well_formed', `not well-formed: ${fault}`, at);
  });

  return {
    write(chunk: Uint8Array): void {
      if (decoder) feed(decoder.decode(chunk, { stream: true }));
      else {
        start = Buffer.concat([start, chunk]);
        if (start.length >= HEAD_BYTES) startDecoding();
      }
    },
    end(): 'whole' | 'cut' | 'stopped' {
      if (!decoder) startDecoding();
      feed(decoder?.decode() ?? '');
      if (state === 'stopped') return state;
      state = 'ending';
      guarded(() => parser.close());
      return state === 'ending' ? 'whole' : state;
    },
  };

  function startDecoding(): void {
    const { label, declared } = xmlEncoding(start);
    decoder = label === undefined ? decoderOf(declared) : new TextDecoder(label);
    const text = decoder.decode(start, { stream: true });
    start = new Uint8Array(0);
    feed(text);
  }

  function feed(text: string): void {
    const chunk = state === 'before' ? text.trimStart() : text;
    if (state === 'stopped' || chunk === '') return;
    state = 'inside';
    guarded(() => {
      parser.write(chunk);
      const { name, entity, attribList } = unfinished;
      // A run's output in one piece may be of any size: its rest is no use to anyone.
      if (unfinished.text.length > MAX_TEXT)
        unfinished.text = unfinished.text.slice(0, MAX_TEXT / 2);
      if (name.length > MAX_NAME || entity.length > MAX_NAME)
        throw new BeyondLimits('a name without end');
      if (attribList.length > MAX_ATTRIBUTES)
        throw new BeyondLimits(`more than ${MAX_ATTRIBUTES} attributes in one element`);
    });
  }

  function guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof BeyondLimits)) throw error;
      state = 'stopped';
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
