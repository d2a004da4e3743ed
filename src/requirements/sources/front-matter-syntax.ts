// What stands in YAML before it is composed: how deep it nests, and where its tags are. The parse
// into tokens takes time that grows with the text alone, and composing them does not.
import { type CST, Parser } from 'yaml';

/** Lists and maps in each other that are read. */
const MOST_DEPTH = 100;

export interface YamlSyntax {
  /** The offsets of all tags, such as `!!set`, in their order. */
  tags: number[];
  /** Why the text is not to be composed, and where. */
  fault: { offset: number; why: string } | null;
}

/** Looks through the tokens of a YAML text. */
export function syntaxOf(text: string): YamlSyntax {
  const tags: number[] = [];
  const waiting: { token: CST.Token | null | undefined; depth: number }[] = [];
  for (const token of new Parser().parse(text)) waiting.push({ token, depth: 0 });
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    if (!token) continue;
    if (token.type === 'document') {
      addTags(token.start, tags);
      waiting.push({ token: token.value, depth });
      continue;
    }
    if (!('items' in token)) continue;
    const fault = (why: string) => ({ tags, fault: { offset: token.offset, why } });
    if (depth >= MOST_DEPTH) return fault('it nests too deep');
    for (const { start, key, sep, value } of token.items) {
      if (key && 'items' in key) return fault('a key of it is a list or a map');
      addTags(start, tags);
      addTags(sep ?? [], tags);
      waiting.push({ token: value, depth: depth + 1 });
    }
  }
  return { tags: tags.sort((a, b) => a - b), fault: null };
}

function addTags(tokens: readonly CST.SourceToken[], tags: number[]): void {
  for (const { type, offset } of tokens) if (type === 'tag') tags.push(offset);
}
