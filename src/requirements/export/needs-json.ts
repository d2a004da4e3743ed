// The graph as a needs.json of Sphinx-Needs.

import type { Graph } from '../graph/model.ts';
import type { EdgeType } from '../sources/model.ts';
import type { ExportSubject } from './subject.ts';

const LINK_FIELDS: Exclude<EdgeType, 'contains'>[] = [
  'refines',
  'derives',
  'depends',
  'verifies',
  'satisfies',
  'conflicts',
  'relates',
];

/**
 * A needs.json with one version; each type of edge is a link field.
 */
export function writeNeedsJson(
  { nodes, edges }: Graph,
  { project, revision }: ExportSubject,
): string {
  const version = String(revision);
  const links = Map.groupBy(edges, ({ from }) => from);
  const parents = new Map(
    edges.filter(({ type }) => type === 'contains').map(({ from, to }) => [to, from]),
  );
  const needs = Object.fromEntries(
    nodes.map((node) => {
      const { id, kind, title, statement, status, tags, priority, rationale, acceptance, source } =
        node;
      const own = links.get(id) ?? [];
      const fields = LINK_FIELDS.map((type) => [
        type,
        own.filter((edge) => edge.type === type).map(({ to }) => to),
      ]);
      return [
        id,
        {
          ...{
            id,
            type: kind,
            title,
            content: statement,
            status,
            tags,
            priority,
            rationale,
            acceptance,
          },
          ...{ docname: source.path, lineno: source.line, parent_need: parents.get(id) ?? '' },
          ...Object.fromEntries(fields),
        },
      ];
    }),
  );
  const schema = {
    properties: Object.fromEntries(
      LINK_FIELDS.map((type) => [type, { field_type: 'links', type: 'array', default: [] }]),
    ),
  };
  const body = { needs_amount: nodes.length, needs_schema: schema, needs };
  return `${JSON.stringify({ current_version: version, project, versions: { [version]: body } }, null, 1)}\n`;
}
