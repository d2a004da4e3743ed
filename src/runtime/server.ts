// Listening for HTTP, on Bun and on Deno.
import type { Listening, ListenOptions } from './listening.ts';
import { listenOnBun } from './server-bun.ts';
import { listenOnDeno } from './server-deno.ts';

export type { Listening, ListenOptions } from './listening.ts';

/**
 * Starts to listen.
 *
 * @throws when the address or port cannot be used
 */
export function listen(options: ListenOptions): Promise<Listening> {
  return 'Deno' in globalThis ? listenOnDeno(options) : listenOnBun(options);
}
