// What somebody else waits for: a process of its own that asks for one thing, rests for 5 ms and asks
// again, until its input ends. It writes its waits to standard output.
import { openClient } from './client.ts';
import { quantile } from './statistics.ts';

const REST_MS = 5;

export interface Waits {
  p99: number;
  longest: number;
}

interface Asked {
  port: number;
  path: string;
  token: string;
}

/** Starts to ask; `stop` ends it and gives how long it waited, in milliseconds. */
export async function startProbe(asked: Asked): Promise<{ stop(): Promise<Waits> }> {
  const child = Bun.spawn([process.execPath, import.meta.path, JSON.stringify(asked)], {
    ...{ stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
  });
  const reader = child.stdout.getReader();
  // It says when it has its first answer.
  await reader.read();
  return {
    async stop() {
      child.stdin.end();
      let text = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        text += new TextDecoder().decode(value);
      }
      const waits = Float64Array.from(JSON.parse(text) as number[]).sort();
      return { p99: quantile(waits, 0.99), longest: quantile(waits, 1) };
    },
  };
}

if (import.meta.main) {
  const { port, ...request } = JSON.parse(process.argv[2] ?? '') as Asked;
  const client = await openClient(port);
  const waits: number[] = [];
  let over = false;
  process.stdin
    .on('data', () => {})
    .on('end', () => {
      over = true;
    });
  await client.ask({ method: 'GET', ...request });
  process.stdout.write('\n');
  while (!over) {
    const began = performance.now();
    await client.ask({ method: 'GET', ...request });
    waits.push(performance.now() - began);
    await Bun.sleep(REST_MS);
  }
  process.stdout.write(JSON.stringify(waits));
  process.exit(0);
}
