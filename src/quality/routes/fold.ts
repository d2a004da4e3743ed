// Folds paths into templates: those of the catalog first, then what is a value by its form, then words
// that vary and lead to the same. It depends on the set of paths alone, not on how often each was seen.
import type { Steps } from '../scheduler.ts';
import type { Matcher, Template } from './match.ts';
import { parameterOf, paramsIn, pathOf, segmentsOf } from './route-text.ts';

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
  isFixed: boolean;
}

interface Path {
  path: string;
  segments: readonly Segment[];
  isValue: boolean[];
  certainty: number;
}

/** So many words that lead to the same are values. */
const ENOUGH = 5;
/** Of a value by its form, or because the catalog says so. */
const CERTAIN = 0.95;
const STEP = 512;

/** @param matcher - the catalog: a path that it has under another method keeps its template there */
export function* foldPaths<T extends Template>(
  paths: ReadonlySet<string>,
  matcher: Matcher<T>,
): Steps<Map<string, Place>> {
  const places = new Map<string, Place>();
  const unknown: Path[] = [];
  let left = STEP;
  for (const path of paths) {
    yield* spend(1);
    const other = matcher.match(null, path);
    if (other) places.set(path, documentedPlace(other.template));
    else unknown.push({ path, segments: readSegments(path, matcher), isValue: [], certainty: 1 });
  }
  yield* divide(unknown, 0, null);
  const keyOf = ({ segments, isValue }: Path) =>
    JSON.stringify(segments.map(({ text }, at) => (isValue[at] ? null : text)));
  for (const alike of Map.groupBy(unknown, keyOf).values()) {
    yield* spend(alike.length);
    const place = placeOf(alike);
    for (const { path } of alike) places.set(path, place);
  }
  return places;

  function* spend(work: number): Steps<void> {
    left -= work;
    if (left >= 0) return;
    yield;
    left = STEP;
  }

  /** Says of paths that begin alike which of their segments from a place on are values. */
  function* divide(some: readonly Path[], at: number, before: string | null): Steps<void> {
    yield* spend(some.length);
    const there = some.filter(({ segments }) => at < segments.length);
    const byWord = Map.groupBy(there, ({ segments }) => {
      const { text, type } = segments[at] as Segment;
      return type === null ? text : null;
    });
    const values = byWord.get(null) ?? [];
    byWord.delete(null);
    const words = byWord as Map<string, Path[]>;
    for (const word of valuesAmong(words, values, at, before)) {
      for (const one of words.get(word) ?? []) values.push(one);
      words.delete(word);
    }
    for (const [word, own] of words) yield* divide(own, at + 1, word);
    for (const { isValue } of values) isValue[at] = true;
    if (values.length > 0) yield* divide(values, at + 1, null);
  }
}

function documentedPlace(template: string): Place {
  const params = paramsIn(template).map((name) => ({ name, type: 'string' as const }));
  return { template, params, certainty: CERTAIN };
}

function readSegments<T extends Template>(path: string, matcher: Matcher<T>): Segment[] {
  const texts = segmentsOf(path);
  const known = matcher.known(texts);
  return texts.map((text, at): Segment => {
    const type = typeOf(text);
    const isFixed = known[at] === null;
    if (isFixed) return { text, type: null, name: null, isFixed };
    const name = (type === 'string' ? parameterOf(text) : null) ?? known[at] ?? null;
    return { text, type: name === null ? type : (type ?? 'string'), name, isFixed };
  });
}

/** Words that stand beside values everywhere. */
const RESERVED = new Set(
  'all bulk count current default export import latest me new recent search self stats summary'.split(
    ' ',
  ),
);
const END = '/';
const VALUE = '/*';

/**
 * Those of some words that are values: behind a plural five or more of which each leads to what
 * another leads to, elsewhere to two words that another leads to; and besides values those that are
 * put together (`corner-shop`) and lead to what a value leads to.
 */
function valuesAmong(
  words: ReadonlyMap<string, readonly Path[]>,
  values: readonly Path[],
  at: number,
  before: string | null,
): string[] {
  const next = ({ segments }: Path) => {
    const segment = segments[at + 1];
    return segment ? (segment.type === null ? segment.text : VALUE) : END;
  };
  const leads = new Map<string, Set<string>>();
  for (const [word, own] of words) {
    const isOpen = !RESERVED.has(word.toLowerCase()) && own[0]?.segments[at]?.isFixed === false;
    if (isOpen) leads.set(word, new Set(own.map(next)));
  }
  const holders = new Map<string, number>();
  for (const to of leads.values()) {
    for (const one of to) holders.set(one, (holders.get(one) ?? 0) + 1);
  }
  const isShared = (one: string) => (holders.get(one) ?? 0) > 1;
  const isCollection = before !== null && isPlural(before);
  const alike = [...leads].filter(([, to]) => {
    const shared = [...to].filter(isShared);
    if (!isCollection) return shared.filter((one) => one !== END && one !== VALUE).length > 1;
    // What no other leads to may be a value itself.
    return shared.length > 0 || !to.has(END);
  });
  const count = alike.filter(([word]) => !isPlural(word)).length;
  if (count >= ENOUGH) return alike.map(([word]) => word);
  const known = new Set(values.map(next));
  const beside = [...leads].filter(
    ([word, to]) => /[^a-z]/.test(word) && !isPlural(word) && [...to].some((one) => known.has(one)),
  );
  for (const [word] of alike) {
    for (const path of words.get(word) ?? [])
      path.certainty = Math.min(path.certainty, 2 / (count + 1));
  }
  return beside.map(([word]) => word);
}

function placeOf(alike: readonly Path[]): Place {
  const [{ segments, isValue }] = alike as [Path];
  const params = segments.flatMap((_, at) => {
    if (!isValue[at]) return [];
    const parent = at > 0 && !isValue[at - 1] ? (segments[at - 1]?.text ?? '') : '';
    return [{ parent, ...valuesAt(alike, at) }];
  });
  const names = nameParams(params);
  let index = 0;
  const parts = segments.map(({ text }, at) =>
    isValue[at]
      ? `{${names[index++]}}`
      : pathOf([text]).slice(1).replace(/[{}]/g, encodeURIComponent),
  );
  return {
    template: `/${parts.join('/')}`,
    params: params.map(({ type }, at) => ({ name: names[at] ?? 'id', type })),
    certainty: [...params, ...alike].reduce((least, one) => Math.min(least, one.certainty), 1),
  };
}

interface Values {
  type: ValueType;
  given: string | undefined;
  certainty: number;
}

function valuesAt(alike: readonly Path[], at: number): Values {
  const all = alike.map(({ segments }) => segments[at] as Segment);
  const given = new Set(all.flatMap(({ name }) => name ?? []));
  const types = new Set(
    all.filter(({ text }) => parameterOf(text) === null).map(({ type }) => type),
  );
  const [only] = types;
  const count = new Set(all.map(({ text }) => text)).size;
  return {
    type: types.size === 1 ? (only ?? 'string') : 'string',
    given: [...given].sort()[0],
    certainty: types.has(null) ? Math.min(CERTAIN, count / (count + 2)) : CERTAIN,
  };
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

/** The kinds of values, as candidates name them, each with its form: the first that fits. */
const FORMS = {
  uuid: /^\{?(?:urn:uuid:)?[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\}?$/i,
  integer: /^[+-]?\d+$/,
  email: /^[^@\s/]+@[^@\s/]+\.[^@\s/.]+$/,
  ulid: /^(?=.*\d)[0-7][\dA-HJKMNP-TV-Z]{25}$/i,
  date: /^\d{4}-(?:\d\d|W\d\d|Q[1-4])(?:-\d\d)?(?:[T _][\d:.,-]{2,20}(?:Z|[+-]\d\d:?\d\d)?)?$/,
  number: /^[+-]?\d+\.\d+$/,
  hash: /^(?=\w*[a-f])(?=\w*\d)(?:sha\d+[:-])?[\da-f]{7,128}$/i,
  slug: /^(?=.*\d)[\w.~:@+=,!$'()*-]{1,64}$/,
} as const;

export const VALUE_TYPES = [...(Object.keys(FORMS) as (keyof typeof FORMS)[]), 'string'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** Words with digits that are parts of a route: `v1beta1`, `oauth2`, `2fa`, `k8s`, `base64`. */
const NUMBERED =
  /^(?:v\d[\w.]*|[a-z]+\d|\d[a-z]{1,2}|[a-z]{1,4}\d{1,2}[a-z]{1,4}|(?:base|sha|utf)\d{1,3})$/i;
const MAX_WORD = 64;

/** The kind of value that a segment is by its form; null for a word, which may be either. */
export function typeOf(text: string): ValueType | null {
  if (parameterOf(text) !== null && !FORMS.uuid.test(text)) return 'string';
  const isNumbered = (part: string) => !/\d/.test(part) || NUMBERED.test(part);
  for (const [type, form] of Object.entries(FORMS)) {
    if (!form.test(text)) continue;
    const isWord = type === 'slug' && (isNumbered(text) || text.split(/[-_.]/).every(isNumbered));
    return isWord ? null : (type as ValueType);
  }
  return text.length > MAX_WORD || /\d/.test(text) ? 'string' : null;
}

export function singular(word: string): string {
  if (/(?:ss|us|is|news|series|settings)$/i.test(word)) return word;
  if (/(?<!mov|cook|[aeiou])ies$/i.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|z|us)es$/i.test(word)) return word.slice(0, -2);
  return /.{2}s$/i.test(word) ? word.slice(0, -1) : word;
}

export function isPlural(word: string): boolean {
  return singular(word) !== word;
}
