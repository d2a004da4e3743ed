import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Caller } from '../../access/caller.ts';
import type { Agents } from '../../agents/agents.ts';
import { api } from '../../http/api/api.ts';
import type { Served } from '../../http/api/context.ts';
import { queryOf } from '../../http/api/query.ts';
import { answers, made } from '../../http/api/reply.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { closed, oneOf } from '../../model/schemas.ts';
import { buildHandoff } from './build.ts';
import { handoffMarkdown } from './markdown.ts';
import { Handoff, type HandoffPart, SECTIONS } from './model.ts';
import { cutHandoff } from './sections.ts';

const HandoffQuery = closed({
  format: Type.Optional(oneOf(['json', 'markdown'], 'JSON by default')),
  section: Type.Optional(
    Type.Array(oneOf(SECTIONS), {
      description: 'The sections wanted; all but `limits` by default',
    }),
  ),
  since: Type.Optional(
    Type.String({
      pattern: '^"?\\d{1,9}-[\\w-]{1,200}"?$',
      says: 'must be the ETag of an earlier handoff',
      description: 'ETag of an earlier handoff: only the sections that have changed since',
    }),
  ),
});

const DOCS: OperationDocs = {
  description:
    'All that a program needs which has never seen the project: what it may call, how the stories stand, what to do next ' +
    'with requests that can be sent as they are, conventions. It holds no secret and no time of its own: two ' +
    'handoffs of the same state to the same caller are equal, byte for byte. `section` cuts it, and `since` asks for what ' +
    'has changed since an earlier one.',
  replies: {
    200: {
      description: 'The handoff',
      alsoAs: { 'text/markdown': '## project\n\n- slug: shop\n- revision: 3\n' },
      headers: ['ETag'],
    },
  },
};

interface Made {
  text: string;
  mediaType: string;
  etag: string;
}

interface Known extends Made {
  /** How many commits there were: a later one may change it. */
  commits: number;
  /** When something of it is over by itself. */
  until: number;
}

const MAX_KNOWN = 100;

export const handoffRoutes = (agents: Served<Agents>) => {
  const known = new Map<string, Known>();

  async function handoffFor(
    caller: Caller,
    query: Static<typeof HandoffQuery>,
    now: number,
  ): Promise<Made> {
    // Read first: what is committed while it is made makes another one.
    const commits = agents.database.commits();
    const key = JSON.stringify([caller.tokenId, query]);
    const last = known.get(key);
    if (last !== undefined && last.commits === commits && now < last.until) return last;
    const { part, etag } = cutHandoff(await buildHandoff(agents, caller, now), query);
    const isMarkdown = query.format === 'markdown';
    const text = isMarkdown ? handoffMarkdown(part) : JSON.stringify(part);
    const mediaType = isMarkdown ? 'text/markdown; charset=utf-8' : 'application/json';
    const answer = { text, etag, mediaType };
    if (commits === undefined || commits !== agents.database.commits()) return answer;
    const { until } = (await agents.states.of(caller.projectId)).commands;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, { ...answer, commits, until });
    return answer;
  }

  return new Elysia({ name: 'handoff' })
    .use(api(agents))
    .get(
      '/project-handoff',
      async ({ caller, query, now }) => made<HandoffPart>(await handoffFor(caller, query, now)),
      {
        operation: { id: 'getHandoff', docs: DOCS },
        query: queryOf(HandoffQuery),
        response: answers({ 200: Handoff }),
      },
    );
};
