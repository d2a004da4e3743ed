// Which item contains which, as it is told one by one: what would close a ring is refused.

export interface Nesting {
  /**
   * Puts an item into another; of what is in one already, only whether it could be.
   *
   * @returns false where the other one is that item, or is in it
   */
  put(id: string, parent: string): boolean;
}

/** A nesting of nothing. However deep items nest, each step costs hardly more than the first. */
export function createNesting(): Nesting {
  /** Of each item that is in another one of those above it, nearer to the top with each look. */
  const above = new Map<string, string>();

  function topOf(id: string): string {
    let at = id;
    for (let next = above.get(at); next !== undefined; next = above.get(at)) {
      const over = above.get(next);
      if (over === undefined) return next;
      above.set(at, over);
      at = over;
    }
    return at;
  }

  return {
    put(id, parent) {
      const top = topOf(parent);
      if (top === id) return false;
      if (!above.has(id)) above.set(id, parent);
      return true;
    },
  };
}
