// The thread that keeps leases alive: whatever the agent itself is busy with, it goes on.
import { createSend } from './api-client.ts';
import { keepAlive, WatchOver } from './heartbeat.ts';
import type { FromHeartbeat, ToHeartbeat } from './heartbeat-thread.ts';
import { pause } from './retry.ts';

declare const self: {
  onmessage: ((event: { data: ToHeartbeat }) => void) | null;
  postMessage(message: FromHeartbeat): void;
};

const watches = new Map<number, AbortController>();

self.onmessage = ({ data }) => {
  if (data.type === 'stop') return watches.get(data.id)?.abort(new WatchOver());
  const { id, watch, connection } = data;
  const over = new AbortController();
  watches.set(id, over);
  const send = createSend(connection);
  // An answer that takes longer than the next beat is due in is none.
  const timeoutMs = Math.min(10_000, Math.max(1000, watch.renewAfterMs));
  keepAlive(watch, {
    send: (json) => send({ method: 'POST', path: '/run-state', json, timeoutMs }),
    read: (runId) =>
      send({ method: 'GET', path: `/run-state?runId=${encodeURIComponent(runId)}`, timeoutMs }),
    tell: (beat) => self.postMessage({ type: 'beat', id, beat }),
    wait: (ms) => pause(ms, over.signal),
    now: Date.now,
    random: Math.random,
  })
    .then((seq) => self.postMessage({ type: 'over', id, seq }))
    .catch((error: Error) => self.postMessage({ type: 'fault', id, detail: error.message }))
    .finally(() => watches.delete(id));
};
