// XML as a tree, read by saxes and nothing of ours, to count and look up what a file really holds.
import { SaxesParser } from 'saxes';

export interface XmlTree {
  /** Without its prefix. */
  name: string;
  attributes: Record<string, string>;
  children: (XmlTree | string)[];
}

/** Parses a document. @throws where it is not well-formed */
export function xmlTree(text: string): XmlTree {
  const top: XmlTree = { name: '', attributes: {}, children: [] };
  const open = [top];
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ local, attributes }) => {
    const values = Object.entries(attributes).map(([name, { value }]) => [name, value]);
    const element: XmlTree = {
      ...{ name: local, attributes: Object.fromEntries(values), children: [] },
    };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => open.pop());
  parser.on('text', (text) => open.at(-1)?.children.push(text));
  parser.on('cdata', (text) => open.at(-1)?.children.push(text));
  parser.write(text).close();
  return top;
}

/** All elements of a name, at any depth, in document order. */
export function allNamed(tree: XmlTree, name: string): XmlTree[] {
  const found: XmlTree[] = [];
  const visit = (element: XmlTree) => {
    if (element.name === name) found.push(element);
    for (const child of element.children) if (typeof child !== 'string') visit(child);
  };
  visit(tree);
  return found;
}

/** The child elements of one of these names; all where none is given. */
export function elements(tree: XmlTree | undefined, ...names: string[]): XmlTree[] {
  return (tree?.children ?? []).filter(
    (child): child is XmlTree =>
      typeof child !== 'string' && (names.length === 0 || names.includes(child.name)),
  );
}

/** All text at any depth. */
export function textIn(tree: XmlTree | undefined): string {
  return (tree?.children ?? [])
    .map((child) => (typeof child === 'string' ? child : textIn(child)))
    .join('');
}
