// The route of the handoff.
import { Type } from '@sinclair/typebox';
import type { Agents } from '../../agents/agents.ts';
import { endpoint } from '../../http/api/endpoint.ts';
import { ok } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { closed, oneOf } from '../../model/schemas.ts';
import { SCHEMA_VERSION } from './model.ts';

const HandoffQuery = closed({
  format: Type.Optional(oneOf(['json', 'markdown'], 'JSON unless told')),
});

export function readHandoff(agents: Agents) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).HANDOFF_DOCS,
    query: HandoffQuery,
    async handler({ caller, query, now }) {
      const { gatherFacts } = await import('./facts.ts');
      const { buildHandoff } = await import('./build.ts');
      const facts = await gatherFacts(agents, caller.projectId, now);
      const handoff = buildHandoff(facts, caller, agents.limits);
      if (query.format === 'markdown') {
        const { handoffMarkdown } = await import('./markdown.ts');
        const text = handoffMarkdown(handoff);
        const mediaType = 'text/markdown; charset=utf-8';
        return ok(undefined, { text, mediaType, etag: etagOf(SCHEMA_VERSION, text) });
      }
      const text = JSON.stringify(handoff);
      return ok(undefined, { text, etag: etagOf(SCHEMA_VERSION, text) });
    },
  });
}
