// The route of the handoff.

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Agents } from '../../agents/agents.ts';
import { api } from '../../http/api/api.ts';
import type { Served } from '../../http/api/context.ts';
import { queryOf } from '../../http/api/query.ts';
import { answers, made } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { closed, oneOf } from '../../model/schemas.ts';
import { buildHandoff } from './build.ts';
import { HANDOFF_DOCS } from './docs.ts';
import { gatherFacts } from './facts.ts';
import { handoffMarkdown } from './markdown.ts';
import { Handoff, SCHEMA_VERSION } from './model.ts';

const HandoffQuery = closed({
  format: Type.Optional(oneOf(['json', 'markdown'], 'JSON by default')),
});

export const handoffRoutes = (agents: Served<Agents>) =>
  new Elysia({ name: 'handoff' }).use(api(agents)).get(
    '/project-handoff',
    async ({ caller, query, now }) => {
      const facts = await gatherFacts(agents, caller.projectId, now);
      const handoff = buildHandoff(facts, caller, agents.limits);
      const isMarkdown = query.format === 'markdown';
      const text = isMarkdown ? handoffMarkdown(handoff) : JSON.stringify(handoff);
      return made<Handoff>({
        text,
        mediaType: isMarkdown ? 'text/markdown; charset=utf-8' : 'application/json',
        etag: etagOf(SCHEMA_VERSION, text),
      });
    },
    {
      operation: { id: 'getHandoff', docs: HANDOFF_DOCS },
      query: queryOf(HandoffQuery),
      response: answers({ 200: Handoff }),
    },
  );
