// The regions of a file of OpenFastTrace that `oft:off` leaves out, and the findings that tell of them.
import { besideRegionMark, type LineUse } from './openfasttrace-patterns.ts';
import type { FileNotes } from './source-result.ts';

export interface Regions {
  /** Takes the next line and its use. */
  take(line: string, use: LineUse): void;
  /** Tells of a region that nothing has ended. */
  end(): void;
}

/** Follows what is left out of a file line by line, after the lines of its front matter. */
export function regionsOf(notes: FileNotes, before: number): Regions {
  let at = before;
  let from = 0;
  let holdsText = false;
  const close = (tell: () => void) => {
    if (from > 0 && holdsText) tell();
    from = 0;
    holdsText = false;
  };
  return {
    take(line, use) {
      at++;
      if (use === 'off') holdsText ||= line.trim() !== '';
      if (use === 'turns on') {
        const detail = `What stands between \`oft:off\` and \`oft:on\` is left out, up to line ${at}.`;
        close(() => notes.note('text_ignored', from, detail));
      }
      if (use === 'turns off' && from === 0) from = at;
      if (use !== 'turns off' && use !== 'turns on') return;
      const rest = besideRegionMark(line);
      if (rest === '') return;
      const beside = use === 'turns off' ? 'oft:off' : 'oft:on';
      const detail = `What stands beside \`${beside}\` is not kept: ${rest.slice(0, 200)}`;
      notes.lose('text_ignored', at, detail, { severity: 'info' });
    },
    end() {
      const detail = `No \`oft:on\` follows \`oft:off\`: all is left out up to the end of the file, line ${at}.`;
      close(() => notes.lose('text_ignored', from, detail));
    },
  };
}
