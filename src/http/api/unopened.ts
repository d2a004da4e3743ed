// Stands in for services that nobody opens, where only the descriptions of routes are wanted.

/**
 * A stand-in whose every property is another one; whatever calls it, fails. Making a room's routes
 * takes services apart but calls none of them, so a room can be described over this.
 *
 * @throws Error from whatever part of it is called
 */
export function unopened<T extends object>(): T {
  const target = () => {};
  const standIn: unknown = new Proxy(target, {
    get: () => standIn,
    apply() {
      throw new Error('Routes are described here: there are no services to call.');
    },
  });
  return standIn as T;
}
