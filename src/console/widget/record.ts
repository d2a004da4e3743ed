// What went wrong on the page, what it asked for and what was done on it, the last of each: messages
// without the objects in them, requests without headers and bodies, changes without values.
import { selectorOf } from './element.ts';
import { clean, requestAddress } from './mask.ts';

/** Of the widget itself, in which nothing is recorded. */
export const TAG = 'pqrs-widget';

const MAX_ENTRIES = 50;
const MAX_ERRORS = 20;
const MAX_MESSAGE = 2000;
const MAX_STACK = 4000;

interface NetworkEntry {
  at: string;
  type: string;
  method: string;
  url: string;
  durationMs: number;
  status?: number;
  requestId?: string;
  error?: string;
}

export interface Recorded {
  console: { level: string; at: string; message: string }[];
  network: NetworkEntry[];
  errors: { type: string; message: string; stack: string }[];
  actions: { type: string; at: string; selector: string }[];
}

/** Records from now on. Whatever is called still does what it did, and fails as it did. */
export function record(): Recorded {
  const recorded: Recorded = { console: [], network: [], errors: [], actions: [] };
  recordConsole(recorded);
  recordErrors(recorded);
  recordActions(recorded);
  recordFetch(recorded);
  recordXhr(recorded);
  return recorded;
}

function keep<T>(list: T[], max: number, entry: () => T): void {
  // What a page gives may throw when it is read; that is not to become the page's error.
  try {
    list.push(entry());
    if (list.length > max) list.shift();
  } catch {}
}

const now = () => new Date().toISOString();

function recordConsole(recorded: Recorded): void {
  for (const level of ['error', 'warn'] as const) {
    const original = console[level];
    console[level] = (...values: unknown[]) => {
      keep(recorded.console, MAX_ENTRIES, () => {
        const message = clean(values.map(textOf).join(' '), MAX_MESSAGE);
        return { level, at: now(), message };
      });
      original.apply(console, values);
    };
  }
}

/** Objects are named by their members: what stands in them may be what somebody has typed. */
function textOf(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Element) return `<${value.localName}>`;
  if (Array.isArray(value)) return `Array(${value.length})`;
  if (typeof value === 'function') return 'function';
  if (typeof value !== 'object' || value === null) return String(value);
  return `{${Object.keys(value).slice(0, 10).join(', ')}}`;
}

function recordErrors(recorded: Recorded): void {
  function keepError(error: unknown, text: string): void {
    keep(recorded.errors, MAX_ERRORS, () => {
      const known = error instanceof Error ? error : { name: 'Error', message: text, stack: '' };
      return {
        type: clean(known.name, 300),
        message: clean(known.message, MAX_MESSAGE),
        stack: clean(known.stack ?? '', MAX_STACK),
      };
    });
  }
  window.addEventListener('error', ({ error, message }) => keepError(error, message));
  window.addEventListener('unhandledrejection', ({ reason }) => keepError(reason, textOf(reason)));
}

function recordActions({ actions }: Recorded): void {
  for (const type of ['click', 'change', 'submit']) {
    const take = ({ target }: Event) => {
      if (!(target instanceof Element) || target.localName === TAG) return;
      keep(actions, MAX_ENTRIES, () => ({ type, at: now(), selector: selectorOf(target) }));
    };
    window.addEventListener(type, take, { capture: true, passive: true });
  }
}

/**
 * Begins an entry; what is given back ends it.
 * @param ask - gives method and address
 */
function beginRequest(recorded: Recorded, type: string, ask: () => [string, string]) {
  const began = performance.now();
  const at = now();
  let method = '';
  let url = '';
  try {
    const [named, address] = ask();
    method = named.toUpperCase().slice(0, 20);
    url = requestAddress(address);
  } catch {}
  return (end: Pick<NetworkEntry, 'status' | 'requestId' | 'error'>) =>
    keep(recorded.network, MAX_ENTRIES, () => {
      const durationMs = Math.round(performance.now() - began);
      return { at, type, method, url, durationMs, ...end };
    });
}

function requestIdOf(value: string | null): { requestId?: string } {
  return value ? { requestId: clean(value, 128) } : {};
}

function recordFetch(recorded: Recorded): void {
  const original = window.fetch;
  window.fetch = ((...call: Parameters<typeof fetch>) => {
    const end = beginRequest(recorded, 'fetch', () => {
      const [input, options] = call;
      const request = input instanceof Request ? input : undefined;
      return [options?.method ?? request?.method ?? 'GET', request?.url ?? String(input)];
    });
    // What is given on has the same value or error, and is unhandled where that is.
    return original.apply(window, call).then(
      (response) => {
        end({ status: response.status, ...requestIdOf(response.headers.get('x-request-id')) });
        return response;
      },
      (error) => {
        end({ error: clean(textOf(error), 300) });
        throw error;
      },
    );
  }) as typeof fetch;
}

function recordXhr(recorded: Recorded): void {
  const prototype = XMLHttpRequest.prototype;
  const { open, send } = prototype;
  const opened = new WeakMap<XMLHttpRequest, unknown[]>();
  prototype.open = function (this: XMLHttpRequest, ...call: unknown[]) {
    opened.set(this, call);
    return Reflect.apply(open, this, call);
  };
  prototype.send = function (body) {
    const end = beginRequest(recorded, 'xhr', () => {
      const [method, address] = opened.get(this) ?? [];
      return [String(method), String(address)];
    });
    const ended = () => {
      const id = requestIdOf(this.status ? this.getResponseHeader('x-request-id') : null);
      end(this.status ? { status: this.status, ...id } : { error: 'failed' });
    };
    this.addEventListener('loadend', ended, { once: true });
    return send.call(this, body);
  };
}
