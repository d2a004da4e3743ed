// What a segment is by its form: a kind of value, or a word.
import { parameterOf } from './route-text.ts';

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

/** Words that stand beside values everywhere. */
export const RESERVED = new Set(
  (
    'all bulk check count current default download export import latest login logout me new public recent ' +
    'register search self signin signout signup stats status summary upload validate verify'
  ).split(' '),
);
