// The documents in source order, by their folders.
import { useEffect, useRef, useState } from 'preact/hooks';
import { grouped, words } from '../../core/format.ts';
import { href } from '../../core/route.ts';
import { SmallStatusBar } from '../../parts/layout.tsx';
import type { Documents } from './answers.ts';

/** More are found by their titles. */
const SHOWN = 120;

interface TreeProps {
  documents: Documents;
  /** The id of the one that is shown; null for what is in none. */
  current: string | null | undefined;
}

export function addressOfDocument(id: string | null): string {
  return id === null ? href('requirements', [], { outside: 'yes' }) : href('requirements', id);
}

export function Tree({ documents, current }: TreeProps) {
  const [text, setText] = useState('');
  const nav = useRef<HTMLElement>(null);
  const asked = text.trim().toLowerCase();
  const found = documents.filter(({ title, path }) =>
    `${title} ${path}`.toLowerCase().includes(asked),
  );
  const at = found.findIndex(({ id }) => id === current);
  const start = Math.max(0, Math.min(at - SHOWN / 2, found.length - SHOWN));
  const shown = found.slice(start, start + SHOWN);
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <nav class="document-tree" aria-label="Documents" ref={nav}>
      {documents.length > SHOWN && (
        <input
          class="input"
          type="search"
          aria-label="Find a document"
          placeholder="Find a document"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {[...Map.groupBy(shown, folderOf)].map(([folder, some]) => (
        <div key={folder}>
          {folder && <h2>{folder}</h2>}
          {some.map(({ id, title, requirements, statuses }) => (
            <a
              key={id}
              href={addressOfDocument(id)}
              aria-current={id === current ? 'true' : undefined}
              title={`${title ?? 'In no document'}: ${requirements}`}
            >
              <span class="cut">{title ?? 'In no document'}</span>
              <SmallStatusBar counts={statuses} />
            </a>
          ))}
        </div>
      ))}
      {found.length > SHOWN && (
        <p class="faint small">{grouped(found.length - SHOWN)} more are found by their titles.</p>
      )}
      {found.length === 0 && <p class="faint small">No document is called so.</p>}
    </nav>
  );
}

function folderOf({ path }: Documents[number]): string {
  return path?.includes('/') ? words(path.slice(0, path.lastIndexOf('/'))) : '';
}
