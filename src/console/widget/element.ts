// What is said of an element of the page, and the choice of one by pointer or keyboard.
import { clean } from './mask.ts';

const TYPED = 'input,textarea,select,script,style,[contenteditable]';

export interface PickedElement {
  selector: string;
  testId?: string;
  role: string;
  text: string;
  rect: { x: number; y: number; width: number; height: number };
}

/** Of an input no text: what stands in it is somebody's own. */
export function describeElement(element: Element): PickedElement {
  const { x, y, width, height } = element.getBoundingClientRect();
  const [left, top] = [x, y].map(Math.round) as [number, number];
  const testId = element.getAttribute('data-testid');
  return {
    selector: selectorOf(element),
    ...(testId ? { testId: testId.slice(0, 300) } : {}),
    role: (element.getAttribute('role') ?? element.localName).slice(0, 300),
    text: clean(textOf(element), 200),
    rect: { x: left, y: top, width: Math.round(width), height: Math.round(height) },
  };
}

function textOf(element: Element): string {
  if (element.closest(TYPED)) return '';
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_ALL, (node) =>
    node instanceof Element && node.matches(TYPED)
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT,
  );
  let text = '';
  while (walker.nextNode() && text.length < 1000)
    if (walker.currentNode instanceof Text) text += walker.currentNode.data;
  return text.replace(/\s+/g, ' ').trim();
}

/** From the nearest element with an id that no other has. */
export function selectorOf(element: Element): string {
  const parts: string[] = [];
  const root = element.getRootNode() as Document | ShadowRoot;
  for (let at: Element | null = element; at; at = at.parentElement) {
    const id = at.id && `#${CSS.escape(at.id)}`;
    if (id && root.querySelectorAll(id).length === 1) {
      parts.unshift(id);
      break;
    }
    const { localName, parentElement } = at;
    const alike = [...(parentElement?.children ?? [])].filter((one) => one.localName === localName);
    const place = alike.length > 1 ? `:nth-of-type(${alike.indexOf(at) + 1})` : '';
    parts.unshift(CSS.escape(localName) + place);
  }
  return parts.join(' > ').slice(-2048);
}

/**
 * Lets somebody choose: by a click, or with Enter on what has the focus; Escape leaves. The page gets
 * nothing of that.
 * @param host - whose own elements are not chosen
 * @param frame - is laid around what would be chosen
 */
export function pickElement(host: Element, frame: HTMLElement): Promise<Element | undefined> {
  return new Promise((resolve) => {
    const end = new AbortController();
    function on<K extends keyof WindowEventMap>(
      types: K[],
      take: (event: WindowEventMap[K]) => void,
    ): void {
      for (const type of types)
        addEventListener(type, take, { capture: true, signal: end.signal, passive: false });
    }
    function targetOf(event: Event): Element | undefined {
      const path = event.composedPath();
      if (path.includes(host)) return undefined;
      return path.find((one) => one instanceof Element);
    }
    function show(element: Element | undefined): void {
      frame.hidden = !element;
      if (!element) return;
      const { x, y, width, height } = element.getBoundingClientRect();
      const style = { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` };
      Object.assign(frame.style, style);
    }
    function stop(event: Event): void {
      if (event.composedPath().includes(host)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    function done(element: Element | undefined): void {
      frame.hidden = true;
      end.abort();
      resolve(element);
    }
    on(['pointermove', 'focusin'], (event) => show(targetOf(event)));
    on(['pointerdown', 'mousedown', 'mouseup', 'click', 'auxclick', 'contextmenu'], stop);
    // Not `click`, of which a disabled button has none.
    on(['pointerup'], (event) => {
      stop(event);
      const element = targetOf(event);
      if (!element) return;
      done(element);
      // The click that follows is not the page's either.
      addEventListener('click', stop, { capture: true, signal: AbortSignal.timeout(300) });
    });
    on(['keydown'], (event) => {
      if (event.key !== 'Enter' && event.key !== 'Escape') return;
      stop(event);
      const { activeElement } = document;
      done(event.key === 'Enter' ? (activeElement ?? undefined) : undefined);
    });
  });
}
