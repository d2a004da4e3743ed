// Requests after which a server may just close the connection.
import type { Client } from './client.ts';

/** The status of a raw request, or undefined where the connection was just closed. */
export async function rawOrNothing(
  api: Client,
  head: string,
  body = '',
): Promise<number | undefined> {
  const { hostname, port } = await api.target.socket();
  return new Promise((resolve, reject) => {
    let received = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    Bun.connect({
      hostname,
      port,
      socket: {
        open(socket) {
          socket.write(
            `${head.replaceAll('{prefix}', api.prefix)}\r\nConnection: close\r\n\r\n${body}`,
          );
          timer = setTimeout(() => socket.end(), 1000);
        },
        data(socket, chunk) {
          received += chunk.toString('latin1');
          socket.end();
        },
        close() {
          clearTimeout(timer);
          resolve(/^HTTP\/1\.1 (\d+)/.test(received) ? Number(received.slice(9, 12)) : undefined);
        },
        error: (_, error) => reject(error),
      },
    }).catch(reject);
  });
}
