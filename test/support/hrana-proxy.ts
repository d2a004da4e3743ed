// Stands between the application and a libSQL server, and can lose requests or answers.

/** What becomes of a request: it passes, it never reaches the server, or its answer gets lost. */
export type Fate = 'pass' | 'lose request' | 'lose answer';

export interface HranaProxy {
  url: string;
  /** Decides on each request by its body. */
  fate(body: string): Fate;
  /** How many requests came. */
  requests: number;
  stop(): void;
}

/** Starts a proxy before a server; everything passes until told otherwise. */
export function startHranaProxy(target: string): HranaProxy {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      proxy.requests += 1;
      const body = await request.text();
      const fate = proxy.fate(body);
      const lost = new Response('lost', { status: 502 });
      if (fate === 'lose request') return lost;
      const { pathname } = new URL(request.url);
      try {
        const answer = await fetch(`${target}${pathname}`, { method: 'POST', body });
        const text = await answer.text();
        return fate === 'lose answer' ? lost : new Response(text, { status: answer.status });
      } catch {
        return lost;
      }
    },
  });
  const proxy: HranaProxy = {
    url: `http://127.0.0.1:${server.port}`,
    fate: () => 'pass',
    requests: 0,
    stop: () => void server.stop(true),
  };
  return proxy;
}
