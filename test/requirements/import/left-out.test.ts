// What is left out of the graph since its id can be none: each cause is told, and the file is not whole.
import { describe, expect, test } from 'bun:test';
import { readSources } from '../../support/read-sources.ts';
import { filesOf } from '../../support/source-files.ts';

function read(files: Record<string, string>) {
  const sources = filesOf(files).map((file) => ({ ...file, format: null }));
  const { graph, findings, sources: read } = readSources(sources, ['title']);
  return {
    ids: graph.nodes.map(({ id }) => id),
    told: findings.flatMap(({ code, itemId }) =>
      code.startsWith('invalid_') ? `${code} ${itemId}` : [],
    ),
    statuses: read.map(({ status }) => status),
  };
}

const needs = (body: object) =>
  JSON.stringify({ current_version: '1', versions: { 1: { needs: body } } });

describe('what can be no id [PQRS-20]', () => {
  test.each([
    [['a\nb'], 1],
    [['a\nb', 'c\nd'], 2],
  ])('each of the links %j is told', (links, times) => {
    const { told, statuses } = read({ 'needs.json': needs({ A: { title: 't', links } }) });
    expect(told).toEqual(Array.from({ length: times }, () => 'invalid_link A'));
    expect(statuses).toEqual(['partial']);
  });

  test('a document whose path is too long for an id is told of, and what it holds stays', () => {
    const folder = `${'d'.repeat(200)}/`.repeat(5);
    const { ids, told, statuses } = read({ [`${folder}a.md`]: '# Doc\n\n## US-1: One\n\nText.\n' });
    expect(ids).toContain('US-1');
    expect(told).toContain('invalid_id null');
    expect(statuses).toEqual(['partial']);
  });
});
