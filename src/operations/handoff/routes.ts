import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Agents } from '../../agents/agents.ts';
import { api } from '../../http/api/api.ts';
import type { Served } from '../../http/api/context.ts';
import { queryOf } from '../../http/api/query.ts';
import { answers, made } from '../../http/api/reply.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { etagOf } from '../../model/etag.ts';
import { closed, oneOf } from '../../model/schemas.ts';
import { buildHandoff, SCHEMA_VERSION } from './build.ts';
import { handoffMarkdown } from './markdown.ts';
import { Handoff } from './model.ts';

const HandoffQuery = closed({
  format: Type.Optional(oneOf(['json', 'markdown'], 'JSON by default')),
});

const DOCS: OperationDocs = {
  description:
    'All that a program needs which has never seen the project: what it may call, how the stories stand, what to do next ' +
    'with requests that can be sent as they are, conventions and limits. It holds no secret and no time of its own: two ' +
    'handoffs of the same state to the same caller are equal, byte for byte.',
  replies: {
    200: {
      description: 'The handoff',
      alsoAs: { 'text/markdown': '# Shop\n\n- Project `shop`, revision 3. Sources: 2.\n' },
      headers: ['ETag'],
    },
  },
};

export const handoffRoutes = (agents: Served<Agents>) =>
  new Elysia({ name: 'handoff' }).use(api(agents)).get(
    '/project-handoff',
    async ({ caller, query, now }) => {
      const handoff = await buildHandoff(agents, caller, now);
      const isMarkdown = query.format === 'markdown';
      const text = isMarkdown ? handoffMarkdown(handoff) : JSON.stringify(handoff);
      return made<Handoff>({
        text,
        mediaType: isMarkdown ? 'text/markdown; charset=utf-8' : 'application/json',
        etag: etagOf(SCHEMA_VERSION, text),
      });
    },
    {
      operation: { id: 'getHandoff', docs: DOCS },
      query: queryOf(HandoffQuery),
      response: answers({ 200: Handoff }),
    },
  );
