// Keeps values of ReqIF under the names of their attributes, each of them: where a name is taken, with
// more to tell the next one apart.

import type { AttributeValue } from './model.ts';
import { OWN_PREFIX } from './reqif-names.ts';
import type { RawValue } from './reqif-raw-values.ts';
import type { AttributeInfo } from './reqif-set.ts';

/** Names under which the reader keeps what no value says: headers, places and groups. */
const RESERVED =
  /^reqif:(?:header:|(?:places|place-name|place-desc|place-alternative-id|table-internal|relation-groups)$)/;

export interface KeptValues {
  /** Keeps a value of the attribute. */
  keep(raw: RawValue, info: AttributeInfo, value: AttributeValue): void;
  /** Keeps what a value is a simplification of, where it is one. */
  keepOriginal(raw: RawValue, info: AttributeInfo): void;
}

/**
 * Keeps values among the attributes of an item or a link.
 *
 * @param attributes - is added to, and nothing in it replaced
 */
export function keptValues(attributes: Map<string, AttributeValue>): KeptValues {
  const repeated = new Map<string, number>();
  const put = (name: string, value: AttributeValue) => {
    let free = name;
    while (attributes.has(free)) {
      const count = (repeated.get(name) ?? 1) + 1;
      repeated.set(name, count);
      free = `${name} (${count})`;
    }
    attributes.set(free, value);
  };
  return {
    keep(raw, info, value) {
      const { name } = info;
      const identifier = info.definition?.identifier ?? raw.definition;
      put(isTaken(attributes, name, identifier) ? `${name} (${identifier})` : name, value);
    },
    keepOriginal({ original, text }, { name }) {
      if (original !== undefined && original !== text) put(`${name} (original)`, original);
    },
  };
}

/** Keeps one value beside what is there: where another has its name, with a number. */
export function keepBeside(
  attributes: Map<string, AttributeValue>,
  name: string,
  value: AttributeValue,
): void {
  if (attributes.get(name) === value) return;
  let free = name;
  for (let count = 2; attributes.has(free); count += 1) free = `${name} (${count})`;
  attributes.set(free, value);
}

/** Whether a name is that of something else. What our writer has kept under one is what it says. */
function isTaken(
  attributes: ReadonlyMap<string, AttributeValue>,
  name: string,
  identifier: string,
): boolean {
  return attributes.has(name) || (RESERVED.test(name) && !identifier.startsWith(OWN_PREFIX));
}
