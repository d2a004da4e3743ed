// Tokens of a project, made and ended by its owners over the API.
import type { Static } from '@sinclair/typebox';
import { actorOf, type Caller, forbidden } from '../../access/caller.ts';
import type { TokenRegistry } from '../../access/tokens.ts';
import { invalid, notFoundAt, Problem } from '../../errors.ts';
import { parseTime } from '../../model/time.ts';
import type { Tx } from '../../store/database.ts';
import type { TokenChanges } from './model.ts';
import { recordTokenCreated, recordTokenRevoked } from './projects.ts';

const EXPIRY = '/tokens/create/expiresAt';

/**
 * Makes and ends tokens of the caller's project, inside its write. None that is made is the
 * instance's.
 *
 * @throws Problem `invalid` for an expiry in the past, `not_found` for a token of no or another
 *   project, `forbidden` for one of the instance, `conflict` for the caller's own
 */
export async function changeTokens(
  db: Tx,
  tokens: TokenRegistry,
  caller: Caller,
  { create, revoke = [] }: Static<typeof TokenChanges>,
  now: number,
): Promise<{ token: string; tokenId: string } | undefined> {
  const { tokenId, projectId, instance } = caller;
  const about = { projectId, actor: actorOf(caller), now };
  for (const [at, id] of revoke.entries()) {
    const pointer = `/tokens/revoke/${at}`;
    const token = tokens.find(id);
    if (token?.projectId !== projectId) throw notFoundAt(pointer, 'is no token of this project');
    if (token.instance && !instance)
      throw forbidden("A token of the instance is ended with the instance's right alone.", [
        { pointer, detail: 'is a token of the instance' },
      ]);
    if (id === tokenId)
      throw new Problem('conflict', 'The token that a request is made with cannot end itself.', {
        errors: [{ pointer, detail: "is the caller's own token" }],
      });
    if (token.revokedAt === null) await recordTokenRevoked(db, about, token);
  }
  if (revoke.length > 0) await tokens.end(db, revoke, now);
  if (!create) return undefined;
  const expiresAt = create.expiresAt ? parseTime(EXPIRY, create.expiresAt) : null;
  if (expiresAt !== null && expiresAt <= now) throw invalid(EXPIRY, 'must be in the future');
  const token = { ...create, projectId, instance: false, expiresAt };
  const { text, row } = await tokens.issue(db, token, now);
  await recordTokenCreated(db, about, row);
  return { token: text, tokenId: row.id };
}
