// What no storage holds faithfully, wherever it stands in a JSON value: `__proto__`, NUL, half surrogates,
// endless numbers and endless nesting.
import { type FieldError, invalid, Problem } from '../errors.ts';
import { ERRORS_SHOWN, invalidFields } from './validate.ts';

const MAX_DEPTH = 32;
const NUL = String.fromCharCode(0);

/** @throws Problem `invalid` that names each place */
export function refuseUnstorable(value: unknown): void {
  const errors = unstorableIn(value);
  if (errors.length > 0) throw invalidFields(errors);
}

/**
 * A check that refuses these too, together with whatever else is wrong with a value.
 * @param check - of what the value is to be
 */
export function storable<T, More extends unknown[]>(
  check: (value: unknown, ...more: More) => T,
): (value: unknown, ...more: More) => T {
  return (value, ...more) => {
    const errors = unstorableIn(value);
    if (errors.length === 0) return check(value, ...more);
    const named = new Set(errors.map(({ pointer }) => pointer));
    const others = errorsOf(() => check(value, ...more));
    const all = [...errors, ...others.filter(({ pointer }) => !named.has(pointer))];
    throw invalidFields(all.slice(0, ERRORS_SHOWN));
  };
}

function errorsOf(check: () => unknown): readonly FieldError[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid') return error.errors;
    throw error;
  }
}

/** @throws Problem `invalid` at once for endless nesting, in which nothing else is looked for */
function unstorableIn(value: unknown): FieldError[] {
  const errors: FieldError[] = [];
  gather(value, '', 0, errors);
  return errors;
}

function gather(value: unknown, pointer: string, depth: number, errors: FieldError[]): void {
  if (typeof value === 'string') {
    if (value.includes(NUL)) report(errors, pointer, 'must not hold the character NUL');
    else if (!value.isWellFormed())
      report(errors, pointer, 'must not hold half of a surrogate pair');
    return;
  }
  // JSON.parse makes infinity of a number that is too large, and JSON.stringify null of that.
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    report(errors, pointer, 'is too large a number');
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) throw invalid(pointer, `is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      gather(item, `${pointer}/${index}`, depth + 1, errors);
    }
    return;
  }
  for (const name of Object.keys(value)) {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (name === '__proto__') report(errors, at, 'is not a known field');
    gather(name, at, depth + 1, errors);
    gather((value as Record<string, unknown>)[name], at, depth + 1, errors);
  }
}

function report(errors: FieldError[], pointer: string, detail: string): void {
  if (errors.length < ERRORS_SHOWN && errors.at(-1)?.pointer !== pointer)
    errors.push({ pointer, detail });
}
