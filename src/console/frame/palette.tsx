// The palette: any id, title, commit or page, by a few letters.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SearchHit } from '../../requirements/projects/model.ts';
import { api, type Having, useAnswer } from '../core/api.ts';
import { words } from '../core/format.ts';
import { go, href } from '../core/route.ts';
import { switchTheme } from '../core/theme.ts';
import { PAGES } from '../pages/pages.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';

interface Entry {
  title: string;
  detail?: string;
  icon: IconName;
  run(): void;
}

const OWN: Entry[] = [
  ...PAGES.map(({ id, title, icon, key }) => ({
    title,
    detail: `g ${key}`,
    icon,
    run: () => go(href(id)),
  })),
  { title: 'Switch between light and dark', icon: 'theme', run: switchTheme },
  { title: 'Print this page', icon: 'print', run: () => setTimeout(print) },
];

const SEARCH_DELAY_MS = 120;

/** What the project has by these letters, a moment after the last of them. */
function useFound(text: string): Entry[] {
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data } = useAnswer(
    () => (asked ? api().projects.get({ query: { search: asked } }) : undefined),
    [asked],
  );
  const found = (data as Having<typeof data, 'items'> | undefined)?.items ?? [];
  return !asked || asked !== text
    ? []
    : found.flatMap((hit) => ('type' in hit ? entryOf(hit) : []));
}

const PLACES: Record<SearchHit['type'], { icon: IconName; page: string }> = {
  story: { icon: 'check', page: 'requirements' },
  section: { icon: 'document', page: 'requirements' },
  document: { icon: 'document', page: 'requirements' },
  issue: { icon: 'issue', page: 'issues' },
  command: { icon: 'plan', page: 'plan' },
  run: { icon: 'run', page: 'runs' },
  test: { icon: 'test', page: 'tests' },
};

function entryOf({ type, id, title, status, detail }: SearchHit): Entry {
  const { icon, page } = PLACES[type];
  const about = [type === 'story' ? id : detail, status && words(status)].filter(Boolean);
  return { title, detail: about.join(', '), icon, run: () => go(href(page, id)) };
}

export function Palette({ close }: { close(): void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const asked = text.trim().toLowerCase();
  const own = OWN.filter(({ title }) => title.toLowerCase().includes(asked));
  const entries = [...own.slice(0, asked ? 4 : undefined), ...useFound(text.trim())];
  const open = (entry: Entry | undefined) => {
    close();
    entry?.run();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen(Math.max(0, Math.min(entries.length - 1, chosen + step)));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(entries[chosen]);
    }
  };
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <Dialog label="Search" class="palette" close={close}>
      <input
        role="combobox"
        aria-label="Search"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries.length > 0 ? `palette-${chosen}` : undefined}
        placeholder="An id, a title, a commit, a page"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={press}
      />
      <ul id="palette-list" role="listbox" aria-label="Found" ref={list}>
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
          <li
            key={`${entry.title} ${entry.detail}`}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => open(entry)}
          >
            <Icon name={entry.icon} />
            <span>{entry.title}</span>
            {entry.detail && <small class="mono">{entry.detail}</small>}
          </li>
        ))}
      </ul>
      {entries.length === 0 && asked && <p class="faint">Nothing is called so.</p>}
    </Dialog>
  );
}
