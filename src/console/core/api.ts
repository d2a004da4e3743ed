// What a page asks of the API, and the states of an answer on its way.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { client } from '../../client.ts';
import { token } from './session.ts';

export interface Problem {
  status: number;
  code: string;
  title: string;
  detail: string;
  requestId?: string;
  errors?: { pointer?: string; parameter?: string; detail: string; code?: string }[];
}

/** What a call of Eden's client comes to. */
export interface Reply {
  data: unknown;
  error: unknown;
  status: number;
  headers?: unknown;
}

export type DataOf<R extends Reply> = NonNullable<R['data']>;

/** Those variants of an answer that have a field. */
export type Having<T, K extends PropertyKey> = T extends unknown
  ? K extends keyof T
    ? T
    : never
  : never;

/** What was asked for: the data, which stay while it is asked again, or why there are none. */
export interface Answer<T> {
  data: T | undefined;
  problem: Problem | undefined;
  loading: boolean;
  reload(): void;
}

const OFFLINE: Problem = {
  status: 0,
  code: 'offline',
  title: 'The server does not answer',
  detail: 'Nothing was lost. This page asks again when you say so.',
};

/** The client of the API, as the holder of the session's token. */
export function api() {
  return client(location.origin, token() ?? '');
}

/** The data of a call. @throws Problem */
export async function dataOf<R extends Reply>(call: Promise<R>): Promise<DataOf<R>> {
  const { data, error, status } = await call.catch(() => {
    throw OFFLINE;
  });
  if (error) throw problemOf(error, status);
  return data as DataOf<R>;
}

/** Sends what Eden's client does not: a file, a form. @throws Problem */
export async function send<T>(
  path: string,
  body: Blob | FormData,
  headers: Record<string, string> = {},
): Promise<T> {
  const authorization = `Bearer ${token() ?? ''}`;
  const request = { method: 'POST', body, headers: { authorization, ...headers } };
  const response = await fetch(`/api${path}`, request).catch(() => {
    throw OFFLINE;
  });
  const value = await response.json().catch(() => undefined);
  if (!response.ok) throw problemOf({ value }, response.status);
  return value as T;
}

/** Saves an answer as a file of the reader's. @throws Problem */
export async function save(path: string, name: string): Promise<void> {
  const headers = { authorization: `Bearer ${token() ?? ''}` };
  const response = await fetch(`/api${path}`, { headers }).catch(() => {
    throw OFFLINE;
  });
  if (!response.ok) throw problemOf({ value: await response.json() }, response.status);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/**
 * Asks when the page is shown and whenever `inputs` change; older answers are dropped.
 * @param ask - makes the call, or gives undefined where nothing is to be asked
 */
export function useAnswer<R extends Reply>(
  ask: (signal: AbortSignal) => Promise<R> | undefined,
  inputs: readonly unknown[],
): Answer<DataOf<R>> {
  const [state, setState] = useState<Omit<Answer<DataOf<R>>, 'reload'>>({
    data: undefined,
    problem: undefined,
    loading: true,
  });
  const [asked, setAsked] = useState(0);
  const reload = useCallback(() => setAsked((count) => count + 1), []);
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    const abort = new AbortController();
    const call = latest.current(abort.signal);
    setState(({ data }) => ({ data, problem: undefined, loading: call !== undefined }));
    if (!call) return;
    dataOf(call).then(
      (data) => abort.signal.aborted || setState({ data, problem: undefined, loading: false }),
      (problem) => abort.signal.aborted || setState({ data: undefined, problem, loading: false }),
    );
    return () => abort.abort();
  }, [...inputs, asked]);
  return { ...state, reload };
}

interface PageOf<T> {
  items: T[];
  nextCursor: string | null;
}

type ItemOf<R extends Reply> =
  Having<DataOf<R>, 'items'> extends { items: (infer T)[] } ? T : never;

export interface List<R extends Reply> extends Answer<Having<DataOf<R>, 'items'>> {
  /** The items of all pages that were asked for. */
  items: ItemOf<R>[];
  /** Asks for the next page; undefined where there is none. */
  more: (() => void) | undefined;
  /** Why the next page did not come. */
  moreProblem: Problem | undefined;
}

/** A list by pages: the first at once, further ones as they are asked for. */
export function useList<R extends Reply>(
  ask: (cursor: string | undefined, signal: AbortSignal) => Promise<R> | undefined,
  inputs: readonly unknown[],
): List<R> {
  const [later, setLater] = useState<{
    of: unknown;
    page?: PageOf<ItemOf<R>>;
    problem?: Problem;
  }>();
  const first = useAnswer((signal) => ask(undefined, signal), inputs);
  const data = first.data as (Having<DataOf<R>, 'items'> & PageOf<ItemOf<R>>) | undefined;
  const further = later && later.of === data ? later.page : undefined;
  const cursor = further ? further.nextCursor : data?.nextCursor;
  const more = async () => {
    const call = cursor ? ask(cursor, new AbortController().signal) : undefined;
    if (!call) return;
    try {
      const page = (await dataOf(call)) as unknown as PageOf<ItemOf<R>>;
      const items = [...(further?.items ?? []), ...page.items];
      setLater({ of: data, page: { items, nextCursor: page.nextCursor } });
    } catch (problem) {
      setLater({ of: data, ...(further && { page: further }), problem: problem as Problem });
    }
  };
  return {
    ...first,
    data,
    items: [...(data?.items ?? []), ...(further?.items ?? [])],
    more: cursor ? more : undefined,
    moreProblem: later && later.of === data ? later.problem : undefined,
  };
}

export interface Action<A extends unknown[]> {
  run(...args: A): Promise<boolean>;
  busy: boolean;
  problem: Problem | undefined;
}

/** A write: whether it is under way, and what stood against it. */
export function useAction<A extends unknown[]>(work: (...args: A) => Promise<unknown>): Action<A> {
  const [state, setState] = useState<{ busy: boolean; problem?: Problem }>({ busy: false });
  const run = async (...args: A) => {
    setState({ busy: true });
    try {
      await work(...args);
      setState({ busy: false });
      return true;
    } catch (problem) {
      setState({ busy: false, problem: problem as Problem });
      return false;
    }
  };
  return { run, busy: state.busy, problem: state.problem };
}

function problemOf(error: unknown, status: number): Problem {
  const value = (error as { value?: unknown }).value;
  if (typeof value === 'object' && value !== null && 'code' in value) return value as Problem;
  // Eden gives a request that never reached the server as an error of its own.
  if (error instanceof TypeError || value instanceof TypeError || (status === 503 && !value))
    return OFFLINE;
  return {
    status,
    code: 'unknown',
    title: `The server answered ${status}`,
    detail: `${value ?? ''}`,
  };
}
