// Views are made one at a time and kept until results of their project change.

export interface ViewCache {
  /**
   * A view that is known, or made now.
   *
   * @param name - what it is of, the project included
   * @param count - how often what it is made of has changed
   */
  get<T>(name: string, count: number, make: () => Promise<T>): Promise<T>;
  /** Drops every view. */
  clear(): void;
}

const KEPT = 32;

/** Makes an empty cache; the views asked for longest ago go first. */
export function createViewCache(): ViewCache {
  const views = new Map<string, { count: number; value: Promise<unknown> }>();
  let last: Promise<unknown> = Promise.resolve();

  return {
    get<T>(name: string, count: number, make: () => Promise<T>): Promise<T> {
      const known = views.get(name);
      views.delete(name);
      if (known?.count === count) {
        views.set(name, known);
        return known.value as Promise<T>;
      }
      const value = last.then(make);
      last = value.catch(() => {});
      const view = { count, value };
      views.set(name, view);
      value.catch(() => {
        if (views.get(name) === view) views.delete(name);
      });
      for (const oldest of views.keys()) {
        if (views.size <= KEPT) break;
        views.delete(oldest);
      }
      return value;
    },
    clear: () => views.clear(),
  };
}
