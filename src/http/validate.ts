// Checks of values against TypeBox schemas, with errors that point at the field.
import type { Static, TSchema } from '@sinclair/typebox';
import { TypeCompiler, type ValueError, ValueErrorType } from '@sinclair/typebox/compiler';
import { type FieldError, Problem } from './problem.ts';

const ERRORS_SHOWN = 50;

/** A compiled check: gives the value back with its type. */
export type Check<T> = (value: unknown) => T;

/**
 * Compiles a check.
 *
 * @param schema - objects in it must forbid additional properties where they are closed
 * @returns a function that throws Problem `invalid` naming each wrong field
 */
export function compileCheck<S extends TSchema>(schema: S): Check<Static<S>> {
  const check = TypeCompiler.Compile(schema);
  return (value) => {
    if (check.Check(value)) return value;
    const errors: FieldError[] = [];
    for (const error of check.Errors(value)) {
      if (errors.some((known) => known.pointer === error.path)) continue;
      errors.push({ pointer: error.path, detail: describe(error) });
      if (errors.length >= ERRORS_SHOWN) break;
    }
    throw invalidFields(errors);
  };
}

/** `422 invalid` for several fields. */
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

function describe(error: ValueError): string {
  const { schema } = error;
  if (typeof schema.says === 'string' && error.type !== ValueErrorType.ObjectRequiredProperty)
    return schema.says;
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

/** The text of a value or null is that of the value. */
function saidByAlternative(schema: TSchema): string | undefined {
  return (schema.anyOf as TSchema[] | undefined)?.find((option) => typeof option.says === 'string')
    ?.says;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
