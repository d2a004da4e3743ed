// The rules for fields of our own report, and what to say where one does not hold.
import { objectOf } from './json-fields.ts';
import { TEXT_LIMITS } from './model.ts';

/** A rule that ends in `?` also takes null and nothing. */
export type FieldRule =
  | 'text'
  | 'text?'
  | 'any text?'
  | 'texts?'
  | 'count?'
  | 'time?'
  | 'status'
  | 'sha256?'
  | 'object?'
  | 'texts by name?'
  | 'list'
  | 'list?';

export type FieldRules = Readonly<Record<string, FieldRule>>;

/** Takes a fault: where it is and what is wrong. */
export type FieldCheck = (pointer: string, detail: string) => void;

const STATUSES = ['passed', 'failed', 'broken', 'skipped', 'unknown'];
const LIST = 100;
// RFC 3339, section 5.6.
const TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

const isText = (value: unknown): value is string =>
  typeof value === 'string' && /\S/.test(value) && value.length <= 16 * TEXT_LIMITS.name;

const CHECKS: Record<string, { holds(value: unknown): boolean; must: string }> = {
  text: { holds: isText, must: 'must be a text that is not blank, of at most 16,384 characters' },
  'any text': { holds: (value) => typeof value === 'string', must: 'must be a text' },
  texts: {
    holds: (value) => Array.isArray(value) && value.length <= LIST && value.every(isText),
    must: `must be a list of at most ${LIST} texts`,
  },
  count: {
    holds: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
    must: 'must be a whole number of at least 0',
  },
  time: {
    holds: (value) =>
      typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value)),
    must: 'must be a time (RFC 3339)',
  },
  status: {
    holds: (value) => typeof value === 'string' && STATUSES.includes(value),
    must: `must be one of ${STATUSES.join(', ')}`,
  },
  sha256: {
    holds: (value) => typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value),
    must: 'must be a SHA-256 in hexadecimal',
  },
  object: {
    holds: (value) => {
      const object = objectOf(value);
      return object !== undefined && Object.keys(object).length <= TEXT_LIMITS.parameters;
    },
    must: `must be an object of at most ${TEXT_LIMITS.parameters} members`,
  },
  'texts by name': {
    holds: (value) =>
      Object.values(objectOf(value) ?? { none: 0 }).every((text) => typeof text === 'string'),
    must: 'must be an object of texts',
  },
  list: { holds: Array.isArray, must: 'must be a list' },
};

/** Checks one field; undefined is a field that is not there. */
export function checkField(
  value: unknown,
  rule: FieldRule,
  pointer: string,
  fault: FieldCheck,
): void {
  const optional = rule.endsWith('?');
  if (value === undefined || value === null) {
    if (!optional) fault(pointer, value === null ? 'must not be null' : 'is required');
    return;
  }
  const check = CHECKS[optional ? rule.slice(0, -1) : rule];
  if (check !== undefined && !check.holds(value)) fault(pointer, check.must);
}
