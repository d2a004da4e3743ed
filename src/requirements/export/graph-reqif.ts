// The graph of a revision as ReqIF.
import { timestamp } from '../../clock.ts';
import { VERSION } from '../../version.ts';
import type { Graph } from '../graph/model.ts';
import { writeReqif } from './reqif.ts';
import type { ExportedLink } from './reqif-elements.ts';
import type { ExportSubject } from './subject.ts';

/** A ReqIF document whose objects carry the ids of the nodes as ReqIF.ForeignID. */
export function writeGraphReqif(
  { nodes, edges }: Graph,
  { project, revision, at }: ExportSubject,
): string {
  const parents = new Map(
    edges.flatMap(({ from, to, type }) => (type === 'contains' ? [[to, from]] : [])),
  );
  const items = nodes.map((node) => {
    const {
      id,
      kind,
      title,
      statement,
      acceptance,
      rationale,
      status,
      priority,
      tags,
      attributes,
      active,
    } = node;
    const texts = { title, statement, acceptance, rationale, status, priority, tags };
    return { id, kind, ...texts, attributes, active, parentId: parents.get(id) ?? null };
  });
  const links = edges.flatMap(({ from, to, type, status, role, attributes }): ExportedLink[] => {
    if (type === 'contains') return [];
    const said = {
      ...(status === 'suspect' ? { suspect: true } : {}),
      ...(role === undefined ? {} : { role }),
      ...(attributes === undefined ? {} : { attributes }),
    };
    return [{ from, to, type, ...said }];
  });
  const options = {
    title: `${project} revision ${revision}`,
    tool: `pqrs ${VERSION}`,
    time: timestamp(at),
  };
  return writeReqif(items, links, options);
}
