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

const AN_OWNER = 'another than an owner under review';

/** @throws Problem `forbidden` for a state that the caller may not give to an edit */
export function requireDecider(
  { state: from, authorToken }: { state: string; authorToken: string },
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

export function requireActivator({ editPolicy }: Policy, { owner }: Pick<Editor, 'owner'>): void {
  if (!owner && editPolicy === 'review') throw forbiddenFields(['state'], AN_OWNER);
}

export function requireDeleter(
  { editPolicy }: Policy,
  { authorToken }: { authorToken: string },
  { actor, owner }: Pick<Editor, 'owner' | 'actor'>,
): void {
  if (!owner && editPolicy === 'review' && authorToken !== actor.tokenId)
    throw forbidden('Under review only its author or an owner may delete an addition.');
}
