// An instance that runs already as a target: it has its own rate limits, and whoever runs it
// expects to find it as it was.
import { PUBLIC_ROLES, type PublicRole } from './roles.ts';
import type { Target } from './target.ts';

const TRIES = 6;
const WAIT_MOST_SECONDS = 90;

/** The target at an address; its tokens come from the environment. */
export function openRemoteTarget(url: string): Target {
  const origin = new URL(url).origin;
  return {
    own: false,
    async fetch(path, init) {
      for (let attempt = 1; ; attempt += 1) {
        const answer = await fetch(`${origin}${path}`, { redirect: 'manual', ...init });
        const wait = Number(answer.headers.get('retry-after') ?? Number.NaN);
        const wanted = answer.status === 429 && wait <= WAIT_MOST_SECONDS && attempt < TRIES;
        if (!wanted || init.body instanceof ReadableStream) return answer;
        await answer.body?.cancel();
        await Bun.sleep(wait * 1000);
      }
    },
    token(role) {
      const token = process.env[PUBLIC_ROLES[role as PublicRole] ?? ''];
      if (token === undefined) throw new Error(`there is no token of the role ${role}`);
      return token;
    },
    async socket() {
      const { protocol, hostname, port } = new URL(origin);
      if (protocol !== 'http:') throw new Error('raw requests are for http alone');
      return { hostname, port: Number(port || 80) };
    },
    logged: () => '',
  };
}
