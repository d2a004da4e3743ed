// From paths to templates: where the values of a path are, and what the parameters that stand for
// them are called.
import type { Steps } from '../scheduler.ts';
import { singular, valuesIn } from './fold-values.ts';
import type { Matcher, Template } from './match.ts';
import { parameterOf, pathOf, segmentsOf } from './path.ts';
import { type Segment, segmentOf, type ValueType } from './segment.ts';

export interface FoundParam {
  name: string;
  type: ValueType;
  /** From 0 to 1: how sure it is that it is one. */
  certainty: number;
}

export interface Place {
  template: string;
  params: readonly FoundParam[];
}

/** What is sure by its form, or because a catalog says it, and still may be otherwise. */
const CERTAIN = 0.95;
const STEP = 512;

/**
 * Folds paths into templates.
 *
 * @param matcher - the catalog: a path that it has under another method keeps its template there, and
 *   the start of a path that it knows is as it says
 */
export function* foldPaths<T extends Template>(
  counts: ReadonlyMap<string, number>,
  matcher: Matcher<T>,
): Steps<Map<string, Place>> {
  const places = new Map<string, Place>();
  const unknown: { path: string; segments: Segment[]; count: number }[] = [];
  let seen = 0;
  for (const [path, count] of counts) {
    if (++seen % STEP === 0) yield;
    const other = matcher.match(null, path);
    if (other) places.set(path, placeOf(other.template));
    else unknown.push({ path, segments: segmentsBy(segmentsOf(path), matcher), count });
  }
  const values = yield* valuesIn(unknown);
  const shapes = new Map<string, Shape>();
  for (const [at, { path, segments }] of unknown.entries()) {
    if (at % STEP === STEP - 1) yield;
    const flags = values[at] ?? new Uint8Array();
    const key = JSON.stringify(segments.map(({ text }, place) => (flags[place] ? null : text)));
    let shape = shapes.get(key);
    if (!shape) {
      shape = { flags, segments, paths: [], params: [...flags].map(() => newParam()) };
      shapes.set(key, shape);
    }
    shape.paths.push(path);
    segments.forEach((segment, place) => {
      const param = shape.params[place];
      if (param && flags[place]) note(param, segment);
    });
  }
  for (const shape of shapes.values()) {
    if (++seen % STEP === 0) yield;
    const place = templateOf(shape);
    for (const path of shape.paths) places.set(path, place);
  }
  return places;
}

function placeOf(template: string): Place {
  const names = [...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
  return { template, params: names.map((name) => ({ name, type: 'string', certainty: CERTAIN })) };
}

function segmentsBy<T extends Template>(texts: readonly string[], matcher: Matcher<T>): Segment[] {
  const known = matcher.known(texts);
  return texts.map((text, at): Segment => {
    const own = segmentOf(text);
    const name = known[at];
    if (name === undefined) return own;
    if (name === null) return { text, type: null, weight: 0 };
    return { text, type: own.type ?? 'string', weight: 0, name };
  });
}

interface Values {
  types: Set<ValueType | null>;
  texts: Set<string>;
  given: string | null;
}

interface Shape {
  flags: Uint8Array;
  segments: readonly Segment[];
  paths: string[];
  params: Values[];
}

function newParam(): Values {
  return { types: new Set(), texts: new Set(), given: null };
}

function note(param: Values, { type, text, name }: Segment): void {
  const written = type === 'uuid' ? null : parameterOf(text);
  const given = written ?? name ?? null;
  if (given !== null)
    param.given = param.given === null || given < param.given ? given : param.given;
  if (written === null) param.types.add(type);
  param.texts.add(text);
}

function templateOf({ flags, segments, params: values }: Shape): Place {
  const found = values.flatMap((one, at) => {
    if (!flags[at]) return [];
    const parent = at > 0 && !flags[at - 1] ? (segments[at - 1]?.text ?? null) : null;
    return [{ parent, type: typeOf(one), given: one.given, certainty: certaintyOf(one) }];
  });
  const names = nameParams(found);
  let next = 0;
  const parts = segments.map(({ text }, at) =>
    flags[at] ? `{${names[next++] ?? 'id'}}` : literal(text),
  );
  return {
    template: `/${parts.join('/')}`,
    params: found.map(({ type, certainty }, at) => ({ name: names[at] ?? 'id', type, certainty })),
  };
}

function literal(text: string): string {
  return pathOf([text]).slice(1).replace(/[{}]/g, encodeURIComponent);
}

function typeOf({ types }: Values): ValueType {
  const [only] = types;
  return types.size === 1 ? (only ?? 'string') : 'string';
}

function certaintyOf({ types, texts }: Values): number {
  return types.has(null) ? Math.min(CERTAIN, texts.size / (texts.size + 2)) : CERTAIN;
}

export interface UnnamedParam {
  /** The segment before it; null where that is a parameter too, or there is none. */
  parent: string | null;
  type: ValueType;
  /** The name that people gave it, where they wrote a template. */
  given: string | null;
}

const BY_TYPE: Partial<Record<ValueType, string>> = { date: 'date', email: 'email' };

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

function camelCase(word: string): string {
  const parts = word.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '');
  const joined = parts
    .map(
      (part, at) => `${at === 0 ? part[0]?.toLowerCase() : part[0]?.toUpperCase()}${part.slice(1)}`,
    )
    .join('');
  return /^\p{L}/u.test(joined) && joined.length <= 60 ? joined : '';
}
