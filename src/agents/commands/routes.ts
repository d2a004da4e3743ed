// Routes of registering and changing test commands.

import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { actorOf, type Caller, forbiddenFields } from '../../access/caller.ts';
import { api } from '../../http/api/api.ts';
import { jsonBody, mergePatchBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery } from '../../http/api/query.ts';
import { answers, created, ok } from '../../http/api/reply.ts';
import { TestCommand } from '../../quality/commands/docs.ts';
import { findCommand } from '../../quality/commands/rows.ts';
import { statsOf } from '../../quality/commands/stats.ts';
import { commandEtag, commandView } from '../../quality/commands/view.ts';
import type { Agents } from '../agents.ts';
import { warningOf } from '../credentials/store.ts';
import { CommandBody, CommandPatch } from './body.ts';
import { COMMAND_DOCS } from './docs.ts';
import { draftCommand } from './draft.ts';
import {
  createCommand,
  OWNER_FIELDS,
  refuseGuarded,
  type Secrets,
  updateCommand,
} from './write.ts';

const isOwner = ({ capabilities }: Caller) => capabilities.has('project:owner');

/** @throws Problem `forbidden` for fields that are an owner's */
function refuseOwnerFields(body: unknown, caller: Caller): void {
  if (isOwner(caller) || typeof body !== 'object' || body === null) return;
  const touched = OWNER_FIELDS.filter((name) => Object.hasOwn(body, name));
  if (touched.length > 0) throw forbiddenFields(touched, 'an agent');
}

export const commandRoutes = (agents: Served<Agents>) =>
  new Elysia({ name: 'test-commands-write', prefix: '/test-commands' })
    .use(api(agents))
    .post(
      '',
      async ({ body, caller, now, write }) => {
        const { projectId } = caller;
        const columns = draftCommand(body, now);
        const secrets = await opened(agents, body.secrets);
        const actor = actorOf(caller);
        return write(async (tx) => {
          const row = await createCommand(tx, { projectId, columns, secrets, actor, now });
          const view = commandView(row, undefined, { seesValues: true, now });
          const etag = commandEtag(view);
          return created(warned(view, body.secrets), `/api/test-commands?id=${row.id}`, { etag });
        });
      },
      {
        operation: {
          id: 'createTestCommand',
          docs: COMMAND_DOCS.create,
          authorizeBody: refuseOwnerFields,
        },
        query: noQuery,
        body: jsonBody(CommandBody),
        response: answers({ 201: TestCommand }),
      },
    )
    .patch(
      '',
      async ({ body: patch, caller, request, now }) => {
        const { projectId } = caller;
        const secrets = await opened(agents, patch.secrets);
        return agents.database.write(async (tx) => {
          const { row } = await updateCommand(tx, {
            projectId,
            patch,
            secrets,
            ifMatch: request.headers.get('if-match'),
            isOwner: isOwner(caller),
            now,
          });
          const stats = await statsOf(tx, row.id);
          const view = commandView(row, stats, { seesValues: true, now });
          return ok(warned(view, patch.secrets), { etag: commandEtag(view) });
        });
      },
      {
        operation: {
          id: 'updateTestCommand',
          docs: COMMAND_DOCS.update,
          authorizeBody: (body: unknown, caller: Caller) => authorizePatch(agents, body, caller),
        },
        query: noQuery,
        body: mergePatchBody(CommandPatch),
        response: answers({ 200: TestCommand }),
      },
    );

async function authorizePatch({ database }: Agents, body: unknown, caller: Caller): Promise<void> {
  refuseOwnerFields(body, caller);
  if (isOwner(caller) || typeof body !== 'object' || body === null) return;
  const { id } = body as { id?: unknown };
  const named = typeof id === 'string' && (await findCommand(database.read, caller.projectId, id));
  if (named && named.id === id) refuseGuarded(named, body);
}

function warned(view: ReturnType<typeof commandView>, secrets: Secrets | undefined) {
  const warnings = Object.entries(secrets ?? {}).flatMap(
    ([name, value]) => (value === null ? undefined : warningOf(name, value)) ?? [],
  );
  const shown = view as Static<typeof TestCommand>;
  return warnings.length === 0 ? shown : { ...shown, warnings };
}

async function opened(agents: Agents, values: Secrets | undefined) {
  return values && { values, sealing: await agents.sealing() };
}
