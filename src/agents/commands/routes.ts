// Routes of registering and changing test commands.

import { actorOf, type Caller, forbiddenFields } from '../../access/caller.ts';
import { jsonBody, mergePatchBody } from '../../http/api/body.ts';
import { endpoint } from '../../http/api/endpoint.ts';
import { created, ok } from '../../http/api/reply.ts';
import { findCommand } from '../../quality/commands/rows.ts';
import { statsOf } from '../../quality/commands/stats.ts';
import { commandEtag, commandView } from '../../quality/commands/view.ts';
import type { Agents } from '../agents.ts';
import { warningOf } from '../credentials/store.ts';
import { CommandBody, CommandPatch } from './body.ts';
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

export function createCommandRoute(agents: Agents) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).COMMAND_DOCS.create,
    body: jsonBody(CommandBody),
    allowFields: refuseOwnerFields,
    async handler(call) {
      const { body, caller, now } = call;
      const { projectId } = caller;
      const columns = draftCommand(body, now);
      const secrets = await opened(agents, body.secrets);
      const actor = actorOf(caller);
      return call.write(async (db) => {
        const row = await createCommand(db, { projectId, columns, secrets, actor, now });
        const view = commandView(row, undefined, { seesValues: true, now });
        const etag = commandEtag(view);
        return created(warned(view, body.secrets), `/api/test-commands?id=${row.id}`, { etag });
      });
    },
  });
}

export function updateCommandRoute(agents: Agents) {
  const { database } = agents;
  return endpoint({
    docs: async () => (await import('./docs.ts')).COMMAND_DOCS.update,
    body: mergePatchBody(CommandPatch),
    async allowFields(body, caller) {
      refuseOwnerFields(body, caller);
      if (isOwner(caller) || typeof body !== 'object' || body === null) return;
      const { id } = body as { id?: unknown };
      const named =
        typeof id === 'string' && (await findCommand(database.read, caller.projectId, id));
      if (named && named.id === id) refuseGuarded(named, body);
    },
    async handler(call) {
      const { body: patch, caller, request, now } = call;
      const { projectId } = caller;
      const secrets = await opened(agents, patch.secrets);
      const view = await database.write(async (db) => {
        const ifMatch = request.headers.get('if-match');
        const wish = { projectId, patch, secrets, ifMatch, isOwner: isOwner(caller), now };
        const { row } = await updateCommand(db, wish);
        const stats = await statsOf(db, row.id);
        return commandView(row, stats, { seesValues: true, now });
      });
      return ok(warned(view, patch.secrets), { etag: commandEtag(view) });
    },
  });
}

/** A command as it is answered to who has set secrets of it. */
function warned<T extends object>(view: T, secrets: Secrets | undefined): T & Warned {
  const warnings = Object.entries(secrets ?? {}).flatMap(
    ([name, value]) => (value === null ? undefined : warningOf(name, value)) ?? [],
  );
  return warnings.length === 0 ? view : { ...view, warnings };
}

interface Warned {
  warnings?: string[];
}

/** The values to be sealed, with what seals them: that is opened before the write. */
async function opened(agents: Agents, values: Secrets | undefined) {
  return values && { values, sealing: await agents.sealing() };
}
