// A field whose text narrows what a page lists: it stands in the address a moment after the last key.
import { useEffect, useState } from 'preact/hooks';
import { go, type Route, withQuery } from '../core/route.ts';

interface SearchFieldProps {
  route: Route;
  /** Of the query that holds the text. */
  name: string;
  label: string;
  placeholder?: string;
}

const DELAY_MS = 250;

export function SearchField({ route, name, label, placeholder = label }: SearchFieldProps) {
  const shown = route.query.get(name) ?? '';
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  useEffect(() => {
    if (text.trim() === shown) return;
    const address = withQuery(route, { [name]: text.trim() });
    const timer = setTimeout(() => go(address, true), DELAY_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      class="input grow"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}
