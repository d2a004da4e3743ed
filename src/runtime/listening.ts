// What listening for HTTP takes and gives, on either runtime.

export interface Listening {
  /** Where the server answers, without a path. */
  url: string;
  port: number;
  /** The address of a request's connection. */
  peerOf(request: Request): string | undefined;
  /** Takes no new connection and resolves when every answer is sent, after `mostMs` at the latest. */
  drain(mostMs: number): Promise<void>;
  /** Ends every connection. */
  stop(): Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  /** PEM texts. */
  tls: { cert: string; key: string } | undefined;
  /** Seconds without a byte after which a connection ends. */
  idleSeconds: number;
  fetch(request: Request): Response | Promise<Response>;
}

/**
 * Waits until nothing is under way any more.
 *
 * @param underWay - how many requests are
 * @param mostMs - when to stop waiting
 */
export async function untilIdle(underWay: () => number, mostMs: number): Promise<void> {
  const end = performance.now() + mostMs;
  while (underWay() > 0 && performance.now() < end) {
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

/** The address that a server is reached at. */
export function urlOf(host: string, port: number, secure: boolean): string {
  const shown =
    host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${secure ? 'https' : 'http'}://${shown}:${port}`;
}
