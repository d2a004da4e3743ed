// Keys of pages: they act unless somebody is writing.
import { useEffect, useRef } from 'preact/hooks';

type Keys = Record<string, (event: KeyboardEvent) => void>;

/** Does what a key stands for while the component is shown; `g o` is g, and o soon after. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    let first = '';
    let timer: ReturnType<typeof setTimeout>;
    const press = (event: KeyboardEvent) => {
      if (event.altKey || event.defaultPrevented) return;
      const modified = event.ctrlKey || event.metaKey;
      if (!modified && isWriting(event.target)) return;
      const key = modified ? `ctrl-${event.key.toLowerCase()}` : event.key;
      const known = current.current;
      const chosen = known[first ? `${first} ${key}` : key];
      clearTimeout(timer);
      first = '';
      if (chosen) {
        event.preventDefault();
        chosen(event);
      } else if (Object.keys(known).some((name) => name.startsWith(`${key} `))) {
        first = key;
        timer = setTimeout(() => {
          first = '';
        }, 900);
      }
    };
    addEventListener('keydown', press);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', press);
    };
  }, []);
}

/** j and k go through the links that are marked `data-row`, and set the focus on them. */
export function useRowKeys(): void {
  const step = (by: number) => {
    const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  useKeys({ j: () => step(1), k: () => step(-1) });
}

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches('input, textarea, select') || target.closest('dialog') !== null;
}
