// A request from its first moment, when it may be nobody's yet.
import type { AccessRow } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import type { Admission } from './guard.ts';
import type { KeyedRequest } from './idempotency.ts';
import type { Reply } from './reply.ts';

export interface Arrival {
  request: Request;
  requestId: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** The same moment in milliseconds of `performance.now`. */
  began: number;
  caller: Caller | undefined;
  route: Route;
  leave?: (() => void) | undefined;
  keyed?: KeyedRequest | undefined;
  /** By which two bodies are the same request. */
  hash: string;
  /** The answer given before to the same idempotency key. */
  replayed?: Reply | undefined;
}

export interface Route {
  access: AccessRow;
  admission: Admission;
  count(status: number, ms: number): void;
}
