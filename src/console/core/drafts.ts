// Long texts that are being written: kept in the tab until they are sent.
import { useState } from 'preact/hooks';

/** @param key - of the draft, such as `comment iss_01k4` */
export function useDraft(key: string): [text: string, setText: (text: string) => void] {
  const name = `pqrs.draft.${key}`;
  const [text, setText] = useState(() => sessionStorage.getItem(name) ?? '');
  return [
    text,
    (changed) => {
      setText(changed);
      if (changed === '') sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, changed);
    },
  ];
}
