// Elements of a ReqIF record that may stand once and stand there again: lists are put together, of
// the others the first with content is read, and each that is not is told.

import { elementsOf, type XmlElement, type XmlNode } from './reqif-element.ts';
import type { ReqifReport } from './reqif-report.ts';

/** Elements that hold a list: what several of them hold is one list. */
const LISTS = new Set(
  'VALUES CHILDREN SPEC-ATTRIBUTES SPECIFIED-VALUES SPEC-RELATIONS EDITABLE-ATTS'.split(' '),
);
/** Elements that hold one other element, of one of several names. */
const HOLDERS = new Set(
  'TYPE DEFINITION OBJECT SOURCE TARGET SOURCE-SPECIFICATION TARGET-SPECIFICATION ALTERNATIVE-ID DEFAULT-VALUE PROPERTIES'.split(
    ' ',
  ),
);
const HELD = /-REF$|^ATTRIBUTE-VALUE-|^EMBEDDED-VALUE$|^ALTERNATIVE-ID$/;
/** Elements that hold text. */
const TEXTS = new Set(
  'THE-VALUE THE-ORIGINAL-VALUE COMMENT CREATION-TIME REPOSITORY-ID REQ-IF-TOOL-ID REQ-IF-VERSION SOURCE-TOOL-ID TITLE'.split(
    ' ',
  ),
);

/**
 * Leaves in a record no element twice that may stand once.
 *
 * @param report - is told of each that stands there again
 */
export function withoutRepeats(record: XmlElement, report: ReqifReport): void {
  if (record.children.length > 1) settle(record, report);
  for (const child of record.children) {
    if (typeof child !== 'string' && child.space === 'reqif' && !TEXTS.has(child.name)) {
      withoutRepeats(child, report);
    }
  }
}

function settle(element: XmlElement, report: ReqifReport): void {
  const isHolder = HOLDERS.has(element.name);
  const firsts = new Map<string, XmlElement>();
  const leftOut = new Set<XmlNode>();
  for (const child of elementsOf(element)) {
    const { name } = child;
    if (!(isHolder ? HELD.test(name) : mayStandOnce(name))) continue;
    const key = isHolder ? '' : name;
    const first = firsts.get(key);
    if (first === undefined) {
      firsts.set(key, child);
      continue;
    }
    const what = `<${name.slice(0, 100)}> stands more than once in <${element.name}>`;
    if (LISTS.has(name)) {
      for (const one of child.children) first.children.push(one);
      leftOut.add(child);
      const detail = `${what}; what is in this one is read with the first.`;
      report.say('repeated_element', 'warning', child.line, detail);
      continue;
    }
    // An empty one says nothing that the other could contradict.
    const takesOver = !saysAnything(first) && saysAnything(child);
    if (takesOver) firsts.set(key, child);
    const loser = takesOver ? first : child;
    leftOut.add(loser);
    report.lose('repeated_element', 'warning', loser.line, `${what}; this one was not read.`);
  }
  if (leftOut.size > 0) element.children = element.children.filter((one) => !leftOut.has(one));
}

function mayStandOnce(name: string): boolean {
  return LISTS.has(name) || HOLDERS.has(name) || TEXTS.has(name);
}

function saysAnything({ children, attributes }: XmlElement): boolean {
  return children.length > 0 || Object.keys(attributes).length > 0;
}
