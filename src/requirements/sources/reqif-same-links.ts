// Links of ReqIF that say nothing but what another says: the graph has one edge for both.

import { attributesText } from './link-key.ts';
import type { SourceLink } from './model.ts';
import type { ReqifReport } from './reqif-report.ts';
import { named } from './reqif-set.ts';

/** Finds links that say the same, in the order in which they come. */
export interface SameLinks {
  /** Reports those of the links of a document that say what one before them says. */
  look(links: readonly SourceLink[], report: ReqifReport): void;
}

/** Links of a set before its first. */
export function createSameLinks(): SameLinks {
  /** By ends and type: the one link, or of several all that each says. */
  const known = new Map<string, SourceLink | Set<string>>();

  function isKnown(link: SourceLink): boolean {
    const key = JSON.stringify([link.type, link.from, link.to]);
    const alike = known.get(key);
    if (alike === undefined) {
      known.set(key, link);
      return false;
    }
    const sayings = alike instanceof Set ? alike : new Set([sayingOf(alike)]);
    if (!(alike instanceof Set)) known.set(key, sayings);
    const said = sayingOf(link);
    if (sayings.has(said)) return true;
    sayings.add(said);
    return false;
  }

  return {
    look(links, report) {
      const same = links.filter(isKnown);
      const [first] = same;
      if (first === undefined) return;
      const { from, to, type, line } = first;
      const which = `${named(from)} ${type} ${named(to)}`;
      const detail = `Relations that say no more than one before them are one with it (${same.length}, first here: ${which}).`;
      report.say('duplicate_link', 'info', line, detail, { itemId: from, relatedIds: [to] });
    },
  };
}

/** All that a link says, but for its ends, its type and whether its target has changed. */
function sayingOf({ role, attributes }: SourceLink): string {
  return JSON.stringify([role ?? '', attributesText(attributes)]);
}
