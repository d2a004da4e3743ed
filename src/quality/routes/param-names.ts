// Names for the parameters of a template that was found in paths: `/users/{id}`, and where there are
// several, by what stands before each: `/users/{userId}/posts/{postId}`.
import type { ValueType } from './segment.ts';

/** What is known of a segment that is a parameter. */
export interface UnnamedParam {
  /** The segment before it; null where that is a parameter too, or there is none. */
  parent: string | null;
  type: ValueType;
  /** The name that people gave it, where they wrote a template. */
  given: string | null;
}

const BY_TYPE: Partial<Record<ValueType, string>> = { date: 'date', email: 'email' };

/** A name for each parameter of a template, no two alike. */
export function nameParams(params: readonly UnnamedParam[]): string[] {
  const taken = new Set<string>();
  return params.map(({ parent, type, given }) => {
    const own = BY_TYPE[type] ?? 'id';
    const word = params.length > 1 && parent !== null ? camelCase(singular(parent)) : '';
    const base = given ?? (word === '' ? own : `${word}${own[0]?.toUpperCase()}${own.slice(1)}`);
    let name = base;
    for (let count = 2; taken.has(name); count++) name = `${base}${count}`;
    taken.add(name);
    return name;
  });
}

const IRREGULAR: Record<string, string> = {
  people: 'person',
  children: 'child',
  indices: 'index',
  vertices: 'vertex',
  movies: 'movie',
  cookies: 'cookie',
};

/** The singular of an English plural, as well as its ending tells. */
export function singular(word: string): string {
  const lower = word.toLowerCase();
  if (IRREGULAR[lower]) return IRREGULAR[lower];
  if (/(?:ss|us|is|news|series|settings)$/.test(lower)) return word;
  if (/[^aeiou]ies$/.test(lower)) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|z|us)es$/.test(lower)) return word.slice(0, -2);
  return lower.endsWith('s') && lower.length > 2 ? word.slice(0, -1) : word;
}

function camelCase(word: string): string {
  const parts = word.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '');
  const joined = parts
    .map(
      (part, at) => `${at === 0 ? part[0]?.toLowerCase() : part[0]?.toUpperCase()}${part.slice(1)}`,
    )
    .join('');
  return /^\p{L}/u.test(joined) && joined.length <= 60 ? joined : '';
}
