// Makes elements without any text that would be read as HTML.
type Child = Node | string | undefined;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}
