// A client that asks one thing at a time over one connection, for what is not measured by the
// request: setting up, mixed loads, looking at what is there.
import { type Answer, type Connection, openConnection } from './connection.ts';
import { type RequestParts, requestBytes } from './requests.ts';

/** The connection ended before the answer came: whether the request took effect is not known. */
export class AnswerLost extends Error {
  override name = 'AnswerLost';
}

export interface Client {
  /** @throws AnswerLost */
  ask(parts: RequestParts): Promise<Answer>;
  /** Asks and reads the JSON of the answer. @throws where the status is another */
  askJson<T>(parts: RequestParts, status?: number): Promise<T>;
  connection: Connection;
  close(): void;
}

/** Connects. @throws when nobody listens */
export async function openClient(
  port: number,
  options: { dropBodies?: boolean } = {},
): Promise<Client> {
  let settle: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;
  let closed = false;
  const connection = await openConnection({
    hostname: '127.0.0.1',
    port,
    ...options,
    onAnswer(answer) {
      settle?.resolve(answer);
      settle = undefined;
    },
    onClose() {
      closed = true;
      settle?.reject(new AnswerLost('the connection ended'));
      settle = undefined;
    },
  });

  function ask(parts: RequestParts): Promise<Answer> {
    if (closed) return Promise.reject(new AnswerLost('the connection has ended'));
    return new Promise((resolve, reject) => {
      settle = { resolve, reject };
      connection.send(requestBytes(parts));
    });
  }

  return {
    ask,
    connection,
    async askJson<T>(parts: RequestParts, status = 200): Promise<T> {
      const answer = await ask(parts);
      if (answer.status !== status) {
        throw new Error(`${parts.method} ${parts.path}: ${answer.head}\n${answer.body}`);
      }
      return JSON.parse(answer.body.toString()) as T;
    },
    close: () => connection.close(),
  };
}
