// The keys.
import { PAGES } from '../pages/pages.ts';
import { Dialog } from '../parts/dialog.tsx';

const KEYS = [
  ['Ctrl K', 'Search, or go to any id'],
  ['/', 'The same'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open it'],
  ['e', 'Edit the requirement'],
  ['[', 'Previous document'],
  [']', 'Next document'],
  ['f', 'To the filters'],
  ['Esc', 'Close'],
];

export function Help({ close }: { close(): void }) {
  const all = [...KEYS, ...PAGES.map(({ key, title }) => [`g ${key}`, title])];
  return (
    <Dialog label="Keys" class="help" close={close}>
      <h2>Keys</h2>
      <dl>
        {all.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
