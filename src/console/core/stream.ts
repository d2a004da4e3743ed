// Server-sent events by fetch, since an EventSource cannot send a token.
import { useEffect, useRef, useState } from 'preact/hooks';
import { token } from './session.ts';

export interface ServerEvent {
  type: string;
  id: string;
  /** The data as JSON. */
  data: unknown;
}

const RETRY_MS = 2000;
/** The server sends a comment every 15 s: after three that did not come nobody is there. */
const SILENT_MS = 45_000;

/**
 * Follows a stream while the component is shown, from the last event that came.
 *
 * @param path - below the prefix, such as `/run-state?runId=…`; undefined to follow nothing
 * @returns whether it is connected
 */
export function useStream(path: string | undefined, take: (event: ServerEvent) => void): boolean {
  const [connectedTo, setConnectedTo] = useState<string>();
  const taking = useRef(take);
  taking.current = take;
  useEffect(() => {
    if (path === undefined) return;
    const abort = new AbortController();
    const setConnected = (connected: boolean) => setConnectedTo(connected ? path : undefined);
    void follow(path, abort.signal, (event) => taking.current(event), setConnected);
    return () => abort.abort();
  }, [path]);
  return path !== undefined && connectedTo === path;
}

async function follow(
  path: string,
  signal: AbortSignal,
  take: (event: ServerEvent) => void,
  setConnected: (connected: boolean) => void,
): Promise<void> {
  let last = '';
  while (!signal.aborted) {
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${token() ?? ''}`,
      ...(last && { 'last-event-id': last }),
    };
    const watch = watchConnection(signal);
    try {
      const response = await fetch(`/api${path}`, { headers, signal: watch.signal });
      if (!response.ok || !response.body) throw new Error(`${response.status}`);
      setConnected(true);
      for await (const event of eventsOf(response.body, watch.alive)) {
        last = event.id || last;
        take(event);
      }
    } catch {
      // Asked again below: the server says what was missed.
    }
    watch.end();
    if (signal.aborted) return;
    setConnected(false);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Ends a connection that is silent, or whose browser is cut off: a fetch alone notices neither. */
function watchConnection(signal: AbortSignal) {
  const abort = new AbortController();
  const stop = () => abort.abort();
  let timer = setTimeout(stop, SILENT_MS);
  addEventListener('offline', stop);
  return {
    signal: AbortSignal.any([signal, abort.signal]),
    alive() {
      clearTimeout(timer);
      timer = setTimeout(stop, SILENT_MS);
    },
    end() {
      clearTimeout(timer);
      removeEventListener('offline', stop);
    },
  };
}

/** The events of a stream, as the HTML standard, 9.2.6, reads them; comments are left out. */
export async function* eventsOf(
  body: NonNullable<Response['body']>,
  alive: () => void = () => {},
): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alive();
      text += value.replaceAll('\r\n', '\n');
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const event = eventOf(text.slice(0, end));
        text = text.slice(end + 2);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel();
  }
}

function eventOf(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name, value] = /^([^:]+):? ?(.*)$/.exec(line) ?? [];
    if (!name) continue;
    const before = fields.get(name);
    fields.set(name, before === undefined ? `${value}` : `${before}\n${value}`);
  }
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return {
    type: fields.get('event') ?? 'message',
    id: fields.get('id') ?? '',
    data: JSON.parse(data),
  };
}
