// Links to attachments, minted for the caller of each answer.
import type { Caller } from '../../access/caller.ts';
import type { SigningKeys } from '../../store/keys/signing-keys.ts';
import type { AttachmentRow } from '../../store/tables/evidence.ts';
import { linkExpiry, linkPath } from './links.ts';

export interface LinkMint {
  /** The signed path of an attachment's file. */
  urlOf(attachment: Pick<AttachmentRow, 'key' | 'projectId'>): string;
}

/**
 * Makes the mint of one answer.
 *
 * @param now - milliseconds since the epoch
 * @param ttlSeconds - how long the caller asked the links to last
 */
export function createLinkMint(
  keys: SigningKeys,
  caller: Caller,
  now: number,
  ttlSeconds: number | undefined,
): LinkMint {
  const expires = linkExpiry(Math.floor(now / 1000), ttlSeconds);
  return {
    urlOf: ({ key, projectId }) =>
      linkPath(keys, {
        method: 'GET',
        projectId,
        key,
        disposition: 'inline',
        tokenId: caller.tokenId,
        expires,
      }),
  };
}
