// Checks of values against TypeBox schemas, and for what no storage holds faithfully (`__proto__`, NUL,
// half surrogates, endless numbers and endless nesting), with errors that point at the field.
import type { Static, TSchema } from '@sinclair/typebox';
import {
  type TypeCheck,
  TypeCompiler,
  type ValueError,
  ValueErrorType,
} from '@sinclair/typebox/compiler';
import { type FieldError, invalid, Problem } from '../errors.ts';

/** Errors that one answer names at most. */
export const ERRORS_SHOWN = 50;

export type Check<T> = (value: unknown) => T;

/**
 * Makes a check, which is compiled when it is first used: a start that waits for all of them would
 * be a slow one.
 * @param schema - objects in it must forbid additional properties where they are closed
 * @returns a function that throws Problem `invalid` naming each wrong field
 */
export function compileCheck<S extends TSchema>(schema: S): Check<Static<S>> {
  let compiled: TypeCheck<S> | undefined;
  return (value) => {
    compiled ??= TypeCompiler.Compile(schema);
    const check = compiled;
    if (check.Check(value)) return value;
    const errors: FieldError[] = [];
    for (const error of realErrors(check.Errors(value))) {
      if (errors.some((known) => known.pointer === error.path)) continue;
      errors.push({ pointer: error.path, detail: describe(error) });
      if (errors.length >= ERRORS_SHOWN) break;
    }
    if (errors.length === 0) return value as Static<S>;
    throw invalidFields(errors);
  };
}

/** @throws Problem `invalid` that points at a member that says nothing beside the others */
export function requireOnly(given: object, names: readonly string[], what: string): void {
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !names.includes(name))
      throw invalid(`/${name}`, `does not go with ${what}`);
  }
}

const OTHER_TYPE: ReadonlySet<ValueErrorType> = new Set([
  ValueErrorType.Array,
  ValueErrorType.Boolean,
  ValueErrorType.Integer,
  ValueErrorType.Null,
  ValueErrorType.Number,
  ValueErrorType.Object,
  ValueErrorType.String,
]);

/**
 * The errors of a check, as they are answered. TypeBox counts units of UTF-16 where JSON Schema
 * counts characters, so a text may be as long as it may be after all; and of alternatives such as
 * a value or null, it is the one of the value's own type whose errors say what is wrong.
 */
function* realErrors(errors: Iterable<ValueError>): Generator<ValueError> {
  for (const error of errors) {
    const { schema, value, type } = error;
    if (type === ValueErrorType.StringMaxLength && [...String(value)].length <= schema.maxLength)
      continue;
    const alternatives = error.errors.map((one) => [...realErrors(one)]);
    if (alternatives.some((one) => one.length === 0)) continue;
    const alike = alternatives.filter(
      ([first]) => first && (first.path !== error.path || !OTHER_TYPE.has(first.type)),
    );
    const [only] = alike;
    if (only && alike.length === 1 && schema.says === undefined) yield* only;
    else yield error;
  }
}

export function invalidFields(errors: FieldError[]): Problem {
  const [first] = errors;
  const detail = first
    ? `${first.pointer || 'The body'}: ${first.detail}`
    : 'The request is not valid.';
  return new Problem(
    'invalid',
    errors.length > 1 ? `${detail} (and ${errors.length - 1} more)` : detail,
    {
      errors,
    },
  );
}

/** What is said in the same words, whatever else a value must be. */
const SAID_BY_ITSELF: ReadonlySet<ValueErrorType> = new Set([
  ValueErrorType.ObjectRequiredProperty,
  ValueErrorType.StringMaxLength,
]);

function describe(error: ValueError): string {
  const { schema } = error;
  if (typeof schema.says === 'string' && !SAID_BY_ITSELF.has(error.type)) return schema.says;
  switch (error.type) {
    case ValueErrorType.ObjectAdditionalProperties:
      return 'is not a known field';
    case ValueErrorType.ObjectRequiredProperty:
      return 'is required';
    case ValueErrorType.StringMinLength:
      return `must have at least ${schema.minLength} characters`;
    case ValueErrorType.StringMaxLength:
      return `must have at most ${schema.maxLength} characters`;
    case ValueErrorType.ArrayMaxItems:
      return `must have at most ${schema.maxItems} entries`;
    case ValueErrorType.Union:
      return saidByAlternative(schema) ?? 'has a wrong type';
    default:
      return lowerFirst(error.message);
  }
}

function saidByAlternative(schema: TSchema): string | undefined {
  return (schema.anyOf as TSchema[] | undefined)?.find((option) => typeof option.says === 'string')
    ?.says;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

const MAX_DEPTH = 32;
const NUL = String.fromCharCode(0);

/** @throws Problem `invalid` that names each place; of endless nesting the first alone */
export function refuseUnstorable(value: unknown): void {
  const errors: FieldError[] = [];
  gather(value, '', 0, errors);
  if (errors.length > 0) throw invalidFields(errors);
}

/** A check that refuses these first. */
export function storable<T, More extends unknown[]>(
  check: (value: unknown, ...more: More) => T,
): (value: unknown, ...more: More) => T {
  return (value, ...more) => {
    refuseUnstorable(value);
    return check(value, ...more);
  };
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
