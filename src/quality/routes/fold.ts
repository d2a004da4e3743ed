// Folds paths into templates: those of the catalog first, then what is a value by its form, then words
// that vary and lead to the same. It depends on the set of paths alone, not on how often each was seen.
import type { Steps } from '../../runtime/scheduler.ts';
import { singular, typeOf, type ValueType } from './forms.ts';
import type { Matcher, Template } from './match.ts';
import { parameterOf, paramsIn, pathOf, segmentsOf } from './route-text.ts';
import { branchesOf, type Node, VALUE, valuesAmong, type Word, wordOf } from './variety.ts';

export interface Place {
  template: string;
  params: { name: string; type: ValueType }[];
  /** From 0 to 1: lower where another reading is as good. */
  certainty: number;
}

interface Segment {
  text: string;
  /** Null for a word, which may be a value or a part of the route. */
  type: ValueType | null;
  /** The parameter that the catalog or the path itself, which may be a template, calls it. */
  name: string | null;
}

interface Path {
  path: string;
  segments: readonly Segment[];
}

/** Of a value by its form, or because the catalog says so. */
const CERTAIN = 0.95;
/** Of a word that may as well be a value. */
const DOUBTFUL = 0.3;
const STEP = 512;

/** @param matcher - the catalog: a path that it has under another method keeps its template there */
export function* foldPaths<T extends Template>(
  paths: ReadonlySet<string>,
  matcher: Matcher<T>,
): Steps<Map<string, Place>> {
  const places = new Map<string, Place>();
  const words = new Map<string, Word>();
  const top: Node<Path> = { word: VALUE, next: new Map(), ends: [] };
  let left = STEP;
  for (const path of paths) {
    yield* spend(1);
    const other = matcher.match(null, path);
    if (!other) add(path);
    else {
      const params = paramsIn(other.template).map((name) => ({ name, type: 'string' as const }));
      places.set(path, { template: other.template, params, certainty: CERTAIN });
    }
  }
  yield* fold([top], [], 1);
  return places;

  function* spend(work: number): Steps<void> {
    left -= work;
    if (left >= 0) return;
    yield;
    left = STEP;
  }

  function add(path: string): void {
    const texts = segmentsOf(path);
    const names = matcher.known(texts);
    let node = top;
    const segments = texts.map((text, at): Segment => {
      const isFixed = names[at] === null;
      const type = isFixed || words.has(text) ? null : typeOf(text);
      const name = (type === 'string' ? parameterOf(text) : null) ?? names[at] ?? null;
      const isWord = type === null && name === null;
      const key = isWord ? (isFixed ? `${text}/` : text) : '';
      let next = node.next.get(key);
      if (!next) {
        const word = isWord ? (words.get(key) ?? wordOf(text, words.size + 1, isFixed)) : VALUE;
        words.set(key, word);
        next = { word, next: new Map(), ends: [] };
        node.next.set(key, next);
      }
      node = next;
      return { text, type: name === null ? type : (type ?? 'string'), name };
    });
    node.ends.push({ path, segments });
  }

  /** @param parts - the template up to these nodes, with null for a value */
  function* fold(
    nodes: readonly Node<Path>[],
    parts: readonly (Word | null)[],
    certainty: number,
  ): Steps<void> {
    yield* spend(nodes.length);
    const ends = nodes.flatMap((node) => node.ends);
    if (ends.length > 0) {
      yield* spend(ends.length);
      const place = placeOf(ends, parts, certainty);
      for (const { path } of ends) places.set(path, place);
    }
    const branches = branchesOf(nodes);
    const found = yield* valuesAmong(branches, parts.at(-1) ?? null, ends.length > 0);
    const values: (readonly Node<Path>[])[] = [];
    for (const [word, some] of branches) {
      if (word === VALUE || found.values.has(word)) values.push(some);
      else yield* fold(some, [...parts, word], found.doubtful.has(word) ? DOUBTFUL : certainty);
    }
    if (values.length === 0) return;
    const own = branches.has(VALUE) ? CERTAIN : found.certainty;
    yield* fold(values.flat(), [...parts, null], Math.min(certainty, own));
  }
}

function placeOf(
  alike: readonly Path[],
  words: readonly (Word | null)[],
  certainty: number,
): Place {
  const params = words.flatMap((word, at) =>
    word ? [] : [{ parent: words[at - 1]?.text ?? '', ...valuesAt(alike, at) }],
  );
  const names = nameParams(params);
  let index = 0;
  const parts = words.map((word) =>
    word
      ? pathOf([word.text]).slice(1).replace(/[{}]/g, encodeURIComponent)
      : `{${names[index++]}}`,
  );
  return {
    template: `/${parts.join('/')}`,
    params: params.map(({ type }, at) => ({ name: names[at] ?? 'id', type })),
    certainty,
  };
}

interface Values {
  type: ValueType;
  given: string | undefined;
}

function valuesAt(alike: readonly Path[], at: number): Values {
  const all = alike.map(({ segments }) => segments[at] as Segment);
  const given = new Set(all.flatMap(({ name }) => name ?? []));
  const types = new Set(
    all.filter(({ text }) => parameterOf(text) === null).map(({ type }) => type),
  );
  const [only] = types;
  return { type: types.size === 1 ? (only ?? 'string') : 'string', given: [...given].sort()[0] };
}

/** `id` for the one value of a path; `userId` and `postId` where there are several. */
function nameParams(params: readonly (Values & { parent: string })[]): string[] {
  const taken = new Set<string>();
  return params.map(({ parent, type, given }) => {
    const own = type === 'date' || type === 'email' ? type : 'id';
    const word = params.length > 1 ? camelCase(singular(parent)) : '';
    const base = given ?? (word === '' ? own : `${word}${own[0]?.toUpperCase()}${own.slice(1)}`);
    let name = base;
    for (let count = 2; taken.has(name); count += 1) name = `${base}${count}`;
    taken.add(name);
    return name;
  });
}

function camelCase(word: string): string {
  const joined = word.replace(/[^\p{L}\p{N}]+(.?)/gu, (_, next: string) => next.toUpperCase());
  return /^\p{L}.{0,59}$/u.test(joined) ? `${joined[0]?.toLowerCase()}${joined.slice(1)}` : '';
}
