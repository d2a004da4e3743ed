// The end of what a command says, as it is stored.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createConsoleLog } from '../../../src/cli/runner/console-log.ts';

describe('a console log', () => {
  test('has the end of whatever is written, in whatever pieces', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 100 }),
        (pieces, kept) => {
          const log = createConsoleLog(kept);
          for (const piece of pieces) log.write(piece);
          const all = Buffer.concat(pieces);
          const shown = log.bytes().toString('latin1');
          const end = all.subarray(Math.max(0, all.length - kept)).toString('latin1');
          const lost = all.length - end.length;
          const head = lost === 0 ? '' : `pqrs: ${lost} bytes before this are left out\n`;
          expect(shown).toBe(head + end);
        },
      ),
    );
  });

  test('gives a tail of whole characters in no more bytes than asked', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 80 }),
        fc.integer({ min: 1, max: 60 }),
        (text, most) => {
          const log = createConsoleLog();
          log.write(Buffer.from(text));
          const tail = log.tail(most);
          expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(most);
          expect(tail).not.toContain('\ufffd');
        },
      ),
    );
  });
});
