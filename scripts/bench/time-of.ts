// How long one request takes, on a connection of its own that is open before.
import { openClient } from './client.ts';
import type { RequestParts } from './requests.ts';
import type { RunningPqrs } from './running.ts';

/** Milliseconds until a request is answered. @throws where the answer is not 200 */
export async function timeOf(
  { port, token }: Pick<RunningPqrs, 'port' | 'token'>,
  request: RequestParts,
): Promise<number> {
  const client = await openClient(port);
  const began = performance.now();
  const { status, body } = await client.ask({ ...request, token });
  const ms = performance.now() - began;
  client.close();
  if (status !== 200) throw new Error(`${request.path}: ${body}`);
  return ms;
}
