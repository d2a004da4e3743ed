// Which item contains which, as it is read one by one: what would close a ring is refused.

/**
 * Puts an item into another; of what is in one already, only says whether it could be.
 * @returns false where the other one is that item, or is in it
 */
export type Nest = (id: string, parent: string) => boolean;

/** A nesting of nothing. However deep items nest, each step costs hardly more than the first. */
export function createNesting(): Nest {
  /** Of each item that is in another one of those above it, nearer to the top with each call. */
  const above = new Map<string, string>();
  return (id, parent) => {
    let top = parent;
    for (let next = above.get(top); next !== undefined; next = above.get(top)) {
      above.set(top, above.get(next) ?? next);
      top = next;
    }
    if (top === id) return false;
    if (!above.has(id)) above.set(id, parent);
    return true;
  };
}
