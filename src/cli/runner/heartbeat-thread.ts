// The agent's side of the thread that keeps leases alive.
import { startWorker } from '../../runtime/worker.ts';
import type { Connection } from './api-client.ts';
import type { Beat, Watch } from './heartbeat.ts';

export type ToHeartbeat =
  | { type: 'watch'; id: number; watch: Watch; connection: Connection }
  | { type: 'stop'; id: number };

export type FromHeartbeat =
  | { type: 'beat'; id: number; beat: Beat }
  | { type: 'over'; id: number; seq: number }
  | { type: 'fault'; id: number; detail: string };

export interface Watching {
  /** Ends the watch; gives the number of the last write to the run. */
  stop(): Promise<number>;
}

export interface Heartbeat {
  /** Begins to watch over a run; `tell` learns what comes of it. */
  watch(watch: Watch, tell: (beat: Beat) => void): Watching;
  /** Ends the thread. */
  end(): void;
}

interface Open {
  watch: Watch;
  tell(beat: Beat): void;
  over(seq: number): void;
}

/** Starts the thread. */
export function startHeartbeat(connection: Connection): Heartbeat {
  const open = new Map<number, Open>();
  let last = 0;
  const worker = startWorker('cli/runner/heartbeat-worker.ts');
  const post = (message: ToHeartbeat) => worker.postMessage(message);

  worker.onmessage = ({ data }: { data: FromHeartbeat }) => {
    const entry = open.get(data.id);
    if (data.type === 'beat') entry?.tell(data.beat);
    else if (data.type === 'over') entry?.over(data.seq);
    else fail(data.id, data.detail);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    for (const id of [...open.keys()]) fail(id, event.message);
  };

  /** Nothing keeps this lease alive any more: what runs under it must not go on. */
  function fail(id: number, detail: string): void {
    const entry = open.get(id);
    entry?.tell({ type: 'lost', why: `the heartbeat failed: ${detail}` });
    entry?.over(entry.watch.seq);
  }

  return {
    watch(watch, tell) {
      last += 1;
      const id = last;
      const over = new Promise<number>((resolve) => {
        open.set(id, {
          ...{ watch, tell },
          over(seq) {
            open.delete(id);
            resolve(seq);
          },
        });
      });
      post({ type: 'watch', id, watch, connection });
      return {
        stop() {
          if (open.has(id)) post({ type: 'stop', id });
          return over;
        },
      };
    },
    end: () => worker.terminate(),
  };
}
