// Routes of registering and changing test commands.

import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { actorOf, type Caller, forbiddenFields } from '../../access/caller.ts';
import { api } from '../../http/api/api.ts';
import { jsonBody, mergePatchBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery } from '../../http/api/query.ts';
import { answers, created, ok } from '../../http/api/reply.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { TestCommand } from '../../quality/commands/model.ts';
import { commandEtag, commandView, statsOf } from '../../quality/commands/rows.ts';
import { NO_STRIP, stripsOf } from '../../quality/runs/strips.ts';
import type { Agents } from '../agents.ts';
import { warningOf } from '../credentials.ts';
import { createCommand, updateCommand } from './commands.ts';
import { CommandBody, type CommandInput, CommandPatch, draftCommand } from './model.ts';

const CREDENTIALS =
  '`credentials` names secrets of the project that agents get on loan with a suite, and `secrets` sets their values, ' +
  'sealed and never shown again; both belong to owners alone. Values of fewer than 6 characters are not found again in ' +
  'what is sent; the answer warns of them.';

const CREATE_DOCS: OperationDocs = {
  description:
    'Registers how a test is run. The service stores commands and never runs one: agents do, with the strings of `argv` ' +
    `as they are, no shell in between. ${CREDENTIALS}`,
  bodyExample: {
    key: 'checkout',
    kind: 'playwright',
    argv: ['npx', 'playwright', 'test', 'tests/checkout'],
    report: { format: 'junit', path: 'results/junit.xml' },
    storyIds: ['US-12'],
  },
  replies: { 201: { description: 'The command', headers: ['ETag'] } },
};

const UPDATE_DOCS: OperationDocs = {
  description:
    'Changes a command, named by `id` in the body, by a merge patch: null takes a field back to its default. A ' +
    'quarantined command is still run and reported; once its time is up it is `active` again. Of a command that names ' +
    'credentials an owner alone changes kind, argv, cwd, env, report, state and quarantine; when an owner disables or ' +
    `archives it, the loans of its credentials end. ${CREDENTIALS}`,
  bodyExample: {
    id: 'cmd_01k4mz2v9cf8ptw0yq3e6r7h5d',
    state: 'quarantined',
    quarantine: { owner: 'Ada', reason: 'See issue 17.', until: '2027-02-14T12:00:00.000Z' },
  },
  replies: {
    200: {
      description: 'The command as it is now',
      headers: ['ETag'],
    },
  },
  problems: ['conflict'],
};

const isOwner = ({ capabilities }: Caller) => capabilities.has('project:owner');

const OWNER_FIELDS = ['credentials', 'secrets', 'allowArchives'];

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
          const view = commandView(row, undefined, NO_STRIP, { seesValues: true, now });
          const etag = commandEtag(view);
          return created(warned(view, body.secrets), `/api/test-commands?id=${row.id}`, { etag });
        });
      },
      {
        operation: {
          id: 'createTestCommand',
          docs: CREATE_DOCS,
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
        const ifMatch = request.headers.get('if-match');
        const change = { projectId, patch, secrets, ifMatch, isOwner: isOwner(caller), now };
        return agents.database.write(async (tx) => {
          const row = await updateCommand(tx, change);
          const stats = await statsOf(tx, row.id);
          const stripOf = await stripsOf(tx, 'command', [row.id]);
          const view = commandView(row, stats, stripOf(row.id), { seesValues: true, now });
          return ok(warned(view, patch.secrets), { etag: commandEtag(view) });
        });
      },
      {
        operation: {
          id: 'updateTestCommand',
          docs: UPDATE_DOCS,
          authorizeBody: refuseOwnerFields,
        },
        query: noQuery,
        body: mergePatchBody(CommandPatch),
        response: answers({ 200: TestCommand }),
      },
    );

function warned(view: ReturnType<typeof commandView>, secrets: CommandInput['secrets'] = {}) {
  const warnings = Object.entries(secrets).flatMap(
    ([name, value]) => (value === null ? undefined : warningOf(name, value)) ?? [],
  );
  const shown = view as Static<typeof TestCommand>;
  return warnings.length === 0 ? shown : { ...shown, warnings };
}

async function opened(agents: Agents, values: CommandInput['secrets']) {
  return values && { values, sealing: await agents.sealing() };
}
