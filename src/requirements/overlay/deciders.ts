// Who may decide on edits and additions. Under the policy `review` that is an owner; an author may think
// better of it.
import { type Actor, forbidden, forbiddenFields } from '../../access/caller.ts';
import type { Settings } from '../projects/settings.ts';
import type { EditState } from './model.ts';

export interface Editor {
  actor: Actor;
  owner: boolean;
  now: number;
}

type Policy = Pick<Settings, 'editPolicy'>;
type Authored = { state: string; authorToken: string };

const AN_OWNER = 'another than an owner under review';

/**
 * Refuses a state that the caller may not give to an edit.
 *
 * @throws Problem `forbidden`
 */
export function requireDecider(
  { state: from, authorToken }: Authored,
  to: EditState,
  { editPolicy }: Policy,
  { owner, actor }: Pick<Editor, 'owner' | 'actor'>,
): void {
  if (from === to || owner || editPolicy === 'direct') return;
  // Rebased it is proposed again.
  if (to === 'rejected' || (to === 'accepted' && from !== 'conflicted'))
    throw forbiddenFields(['state'], AN_OWNER);
  if (to === 'withdrawn' && authorToken !== actor.tokenId)
    throw forbiddenFields(['state'], 'another than its author or an owner');
}

/** @throws Problem `forbidden` for another than an owner, under review */
export function requireActivator({ editPolicy }: Policy, { owner }: Pick<Editor, 'owner'>): void {
  if (!owner && editPolicy === 'review') throw forbiddenFields(['state'], AN_OWNER);
}

/** @throws Problem `forbidden` for another than its author or an owner, under review */
export function requireDeleter(
  { editPolicy }: Policy,
  { authorToken }: Pick<Authored, 'authorToken'>,
  { actor, owner }: Pick<Editor, 'owner' | 'actor'>,
): void {
  if (!owner && editPolicy === 'review' && authorToken !== actor.tokenId)
    throw forbidden('Under review only its author or an owner may delete an addition.');
}
