// Which texts can be ids: an item answers at an address that ends in its id, and is named in lists.

/** Characters of an id. */
export const ID_MOST = 1000;

/**
 * Why a text cannot be the id of an item.
 *
 * @returns what it must be, to follow its name; undefined where it can
 */
export function idFault(id: string): string | undefined {
  if (id === '' || id.length > ID_MOST) return `must be a text of 1 to ${ID_MOST} characters`;
  if (/\p{Cc}/u.test(id)) return 'must hold no control character';
  if (!id.isWellFormed()) return 'must not hold half of a surrogate pair';
  // An address that ends in one of them is another address.
  return id === '.' || id === '..' ? 'must be more than dots' : undefined;
}

/** An id that cannot be one, as a sentence may show it. */
export function shownId(id: string): string {
  return JSON.stringify(id.length > 100 ? `${id.slice(0, 100)}…` : id);
}
