// Which texts can be ids: an item answers at an address that ends in its id, and is named in lists.
import { createHash } from 'node:crypto';
import { ID_MOST } from '../../http/id-length.ts';

/**
 * Why a text cannot be the id of an item.
 *
 * @returns what it must be, to follow its name; undefined where it can
 */
export function idFault(id: string): string | undefined {
  if (id === '' || id.length > ID_MOST) return `must be a text of 1 to ${ID_MOST} characters`;
  if (id.trim() === '') return 'must not be blank';
  if (/\p{Cc}/u.test(id)) return 'must hold no control character';
  if (!id.isWellFormed()) return 'must not hold half of a surrogate pair';
  // An address that ends in one of them is another address.
  return id === '.' || id === '..' ? 'must be more than dots' : undefined;
}

/**
 * An id that is made of a path or of titles: as it is where it can be one, else the beginning of it
 * with a hash of all of it, which stays the same while they do.
 */
export function usableId(made: string): string {
  if (idFault(made) === undefined) return made;
  const hash = createHash('sha256').update(made).digest('hex').slice(0, 16);
  const shown = made.replace(/\p{Cc}+/gu, ' ').slice(0, ID_MOST - hash.length - 1);
  return `${shown.toWellFormed()}~${hash}`;
}

/** An id that cannot be one, as a sentence may show it. */
export function shownId(id: string): string {
  return JSON.stringify(id.length > 100 ? `${id.slice(0, 100)}…` : id);
}
