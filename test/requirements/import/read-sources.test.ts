// A source set as one: what is said of files together, how far reading is, and where it is read.
import { describe, expect, test } from 'bun:test';
import {
  type GraphBytes,
  importText,
  runImport,
} from '../../../src/requirements/import/run-import.ts';
import { DEFAULT_SETTINGS } from '../../../src/requirements/projects/settings.ts';
import { readSources } from '../../support/read-sources.ts';
import { object, place, reqifFile, specification } from '../../support/reqif-documents.ts';
import { filesOf } from '../../support/source-files.ts';

const { normative } = DEFAULT_SETTINGS;
const setOf = (texts: Record<string, string>) =>
  filesOf(texts).map((file) => ({ ...file, format: null }));

test('a document is not empty where what it holds stands elsewhere, or nowhere [PQRS-9, PQRS-20]', () => {
  const documents = {
    'a.reqif': [object('o1'), specification('S', place('o1'))],
    'b.reqif': ['', specification('T', place('o1'))],
    'c.reqif': ['', specification('U', place('gone'))],
    'd.reqif': ['', specification('V')],
  };
  const files = Object.entries(documents).map(([path, [objects, specifications]]) => ({
    path,
    format: null,
    bytes: (reqifFile({ objects, specifications })[0] as { bytes: Uint8Array }).bytes,
  }));
  const codes = ['empty_document', 'ambiguous_place', 'dangling_reference'];
  const found = readSources(files, ['title']).findings.filter(({ code }) => codes.includes(code));
  expect(found.map(({ code, path, line }) => `${code} ${path} ${line > 0}`).sort()).toEqual([
    'ambiguous_place b.reqif true',
    'dangling_reference c.reqif true',
    'empty_document d.reqif true',
  ]);
});

describe('what can be no id [PQRS-20]', () => {
  const read = (texts: Record<string, string>) => {
    const { graph, findings, sources } = readSources(setOf(texts), ['title']);
    return {
      ids: graph.nodes.map(({ id }) => id),
      found: findings.flatMap(({ code, itemId }) =>
        code.startsWith('invalid_') ? `${code} ${itemId}` : [],
      ),
      statuses: sources.map(({ status }) => status),
    };
  };

  test.each([[['a\nb']], [['a\nb', 'c\nd']]])('each of the links %j is reported', (links) => {
    const versions = { 1: { needs: { A: { title: 't', links } } } };
    const text = JSON.stringify({ current_version: '1', versions });
    const { found, statuses } = read({ 'needs.json': text });
    expect(found).toEqual(links.map(() => 'invalid_link A'));
    expect(statuses).toEqual(['partial']);
  });

  test('a document whose path is too long is left out, and what it holds stays', () => {
    const path = `${`${'d'.repeat(200)}/`.repeat(5)}a.md`;
    const { ids, found, statuses } = read({ [path]: '# Doc\n\n## US-1: One\n\nText.\n' });
    expect(ids).toContain('US-1');
    expect(found).toContain('invalid_id null');
    expect(statuses).toEqual(['partial']);
  });
});

describe('a large set [PQRS-16]', () => {
  const many = Array.from({ length: 5000 }, (_, at) => `## REQ-${at}: Number ${at}\n\nIt shall.\n`);
  const bytes = new TextEncoder().encode(many.join('\n'));
  const files = [{ path: 'many.md', format: 'markdown' as const, bytes }];

  test('is read in a worker, which gives the same', async () => {
    const job = { files, normative, revision: 7 };
    const graphs: GraphBytes[] = [];
    const onGraph = (graph: GraphBytes) => graphs.push(graph);
    const read = await runImport(job, { onGraph });
    expect(read).toEqual(importText(job, onGraph));
    expect(graphs[0]).toEqual(graphs[1]);
    expect(new TextDecoder().decode(Buffer.concat(graphs[0] ?? []))).toStartWith(
      '{"revision":7,"nodes":[{',
    );
    expect(bytes.byteLength).toBeGreaterThan(128 * 1024);
  }, 30_000);

  test('fails with what breaks there', async () => {
    const broken = runImport({
      files,
      normative,
      revision: 2,
      before: new TextEncoder().encode('x'),
    });
    await expect(broken).rejects.toThrow('the import failed: SyntaxError');
  }, 30_000);
});
