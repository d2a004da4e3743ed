// Listeners to the changes of runs: a process of its own that opens many streams, reads all that
// comes, and says how much that was.
import { connect } from 'node:net';
import { requestBytes } from './requests.ts';

export interface ListenersHeard {
  listeners: number;
  bytes: number;
  /** Streams that ended before they were asked to. */
  dropped: number;
}

export interface Listeners {
  /** Ends all streams. */
  stop(): Promise<ListenersHeard>;
}

/** Opens so many streams from a process of their own; resolves when each has begun. */
export async function startListeners(
  { port, token }: { port: number; token: string },
  count: number,
): Promise<Listeners> {
  const child = Bun.spawn([process.execPath, import.meta.path], {
    env: { PORT: String(port), TOKEN: token, COUNT: String(count) },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const first = await lines.read();
  if (!first.value?.startsWith('ready')) throw new Error('the listeners were not let in');
  return {
    async stop() {
      child.stdin.end();
      const { value = '{}' } = await lines.read();
      await child.exited;
      return JSON.parse(value) as ListenersHeard;
    },
  };
}

async function listen(port: number, token: string, count: number): Promise<void> {
  const heard: ListenersHeard = { listeners: count, bytes: 0, dropped: 0 };
  const request = requestBytes({
    ...{ method: 'GET', path: '/api/run-state', token },
    headers: { Accept: 'text/event-stream' },
  });
  let over = false;
  const sockets = await Promise.all(
    Array.from({ length: count }, () => {
      const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof connect>>();
      const socket = connect(port, '127.0.0.1', () => socket.write(request));
      socket.once('data', (data) => {
        if (data.toString().startsWith('HTTP/1.1 200')) resolve(socket);
        else reject(new Error(data.toString()));
      });
      socket.on('data', (data) => {
        heard.bytes += data.length;
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        if (!over) heard.dropped += 1;
      });
      return promise;
    }),
  );
  process.stdout.write('ready\n');
  for await (const _ of process.stdin);
  over = true;
  for (const socket of sockets) socket.destroy();
  process.stdout.write(JSON.stringify(heard));
}

if (import.meta.main) {
  const { PORT, TOKEN = '', COUNT } = process.env;
  await listen(Number(PORT), TOKEN, Number(COUNT));
  process.exit(0);
}
