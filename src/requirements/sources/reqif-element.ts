// A ReqIF element as it was parsed, and what stands in it.

export type XmlNode = XmlElement | string;

/** An element of a record. Its attributes go by the names that are written, with their prefixes. */
export interface XmlElement {
  name: string;
  space: 'reqif' | 'xhtml' | 'other';
  attributes: Record<string, string>;
  children: XmlNode[];
  /** Where the tag begins, from 1. */
  line: number;
}

/** The attributes of every element that has none. */
export const NO_ATTRIBUTES: Record<string, string> = Object.freeze(Object.create(null));

/** The child elements of the ReqIF namespace with a name, of an element that may be missing. */
export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  if (element === undefined) return [];
  return element.children.filter(
    (child): child is XmlElement =>
      typeof child !== 'string' && child.space === 'reqif' && child.name === name,
  );
}

/** The first child element of the ReqIF namespace with a name. */
export function childOf(element: XmlElement, name: string): XmlElement | undefined {
  for (const child of element.children) {
    if (typeof child !== 'string' && child.name === name && child.space === 'reqif') return child;
  }
  return undefined;
}

/** All child elements of the ReqIF namespace of an element that may be missing. */
export function elementsOf(element: XmlElement | undefined): XmlElement[] {
  if (element === undefined) return [];
  return element.children.filter(
    (child): child is XmlElement => typeof child !== 'string' && child.space === 'reqif',
  );
}

/** The first child element of the ReqIF namespace of an element that may be missing. */
export function firstOf(element: XmlElement | undefined): XmlElement | undefined {
  if (element === undefined) return undefined;
  for (const child of element.children) {
    if (typeof child !== 'string' && child.space === 'reqif') return child;
  }
  return undefined;
}

/** The text directly in an element, without space around; undefined without an element. */
export function textOf(element: XmlElement | undefined): string | undefined {
  if (element === undefined) return undefined;
  const [only] = element.children;
  if (element.children.length === 1 && typeof only === 'string') return only.trim();
  let text = '';
  for (const child of element.children) if (typeof child === 'string') text += child;
  return text.trim();
}

/** The IDENTIFIER of an element; empty where it has none. */
export function identifierOf({ attributes: { IDENTIFIER: said = '' } }: XmlElement): string {
  return foldedId(said);
}

/** What the first `...-REF` in an element refers to; empty where there is none, or it names nothing. */
export function referenceIn(element: XmlElement | undefined): string {
  for (const child of element?.children ?? [])
    if (isReference(child)) return foldedId(textOf(child) ?? '');
  return '';
}

/** What each `...-REF` in an element refers to. */
export function referencesIn(element: XmlElement | undefined): string[] {
  return (element?.children ?? [])
    .filter(isReference)
    .map((child) => foldedId(textOf(child) ?? ''));
}

/** Whether it holds the identifier of another element. */
export function isReference(node: XmlNode): node is XmlElement {
  return typeof node !== 'string' && node.space === 'reqif' && node.name.endsWith('-REF');
}

/** An `xsd:ID`, or a reference to one, as it is read: its white space collapsed. */
function foldedId(text: string): string {
  return /\s/.test(text) ? text.replace(/[ \t\r\n]+/g, ' ').trim() : text;
}
