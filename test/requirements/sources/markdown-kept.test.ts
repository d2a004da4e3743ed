// Whatever people write into a Markdown source, in whatever order: each word of it is in the item
// that it stands in, or a finding says what became of it.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { aSketch, writeSketch } from '../../support/marked-markdown.ts';
import { readSources } from '../../support/read-sources.ts';
import { filesOf } from '../../support/source-files.ts';

test('no word of a Markdown source is lost, or moved to another item [PQRS-12]', () => {
  fc.assert(
    fc.property(aSketch, (sketch) => {
      const { text, words } = writeSketch(sketch);
      const files = filesOf({ 'a.md': text }).map((file) => ({ ...file, format: null }));
      const { graph, findings } = readSources(files, ['title']);
      const lines = text.split(/\r?\n/);
      const notKept = findings.flatMap(({ code, line }) =>
        code === 'not_kept' ? (lines[line - 1] ?? '') : [],
      );
      const said = JSON.stringify(findings) + notKept.join(' ');
      const all = JSON.stringify(graph) + said;
      const isMoved = (word: string, id: string) => {
        // Below a label that takes values, an item of a list is one of them.
        const node = graph.nodes.find((one) => one.id === id);
        const links = graph.edges.filter(({ from, type }) => from === id && type !== 'contains');
        return node !== undefined && !`${JSON.stringify([node, links])}${said}`.includes(word);
      };
      const [lost, moved]: [string[], string[]] = [[], []];
      for (const { word, owner } of words) {
        if (!all.includes(word)) lost.push(word);
        else if (typeof owner === 'string' && isMoved(word, owner)) moved.push(word);
      }
      expect({ lost, moved, text }).toEqual({ lost: [], moved: [], text });
    }),
    { numRuns: 800 },
  );
});
