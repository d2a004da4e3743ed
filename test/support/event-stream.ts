// Reads a stream of server-sent events in a test (HTML Living Standard, 9.2.6).

export interface StreamEvent {
  /** The id that the reader is at after this event. */
  id: string;
  event: string;
  data: string;
}

export interface EventReader {
  response: Response;
  /** The id that the reader is at. */
  readonly lastId: string;
  /** Lines that are no events: `:` of the keeping alive. */
  readonly comments: number;
  readonly retry: number | undefined;
  /** Resolves when the stream has begun: when it has said behind which change it begins. */
  begun: Promise<void>;
  /** The next event; undefined when the stream has ended. */
  next(): Promise<StreamEvent | undefined>;
  /** Reads on until one fits, and gives all that came with it, it being the last. */
  until(fits: (event: StreamEvent) => boolean): Promise<StreamEvent[]>;
  /** All events to the end of the stream. */
  rest(): Promise<StreamEvent[]>;
  close(): Promise<void>;
}

/** Reads the events of a response. @throws where it is none */
export function readEvents(response: Response): EventReader {
  const { body } = response;
  const type = response.headers.get('content-type');
  if (response.status !== 200 || type !== 'text/event-stream' || !body)
    throw new Error(`no stream of events: ${response.status} ${type}`);
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const events: StreamEvent[] = [];
  const begun = Promise.withResolvers<void>();
  let text = '';
  let ended = false;
  let reading: Promise<void> | undefined;
  const state = { lastId: '', comments: 0, retry: undefined as number | undefined };

  function take(block: string): void {
    const data: string[] = [];
    let event = 'message';
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (name === '') state.comments += 1;
      if (name === 'id') state.lastId = value;
      if (name === 'retry') state.retry = Number(value);
      if (name === 'event') event = value;
      if (name === 'data') data.push(value);
    }
    if (state.lastId !== '') begun.resolve();
    if (data.length > 0) events.push({ id: state.lastId, event, data: data.join('\n') });
  }

  async function readMore(): Promise<void> {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done) {
      ended = true;
      begun.resolve();
      return;
    }
    text += decoder.decode(value, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) take(block);
  }

  function more(): Promise<void> {
    reading ??= readMore().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function next(): Promise<StreamEvent | undefined> {
    while (events.length === 0 && !ended) await more();
    return events.shift();
  }

  return {
    response,
    get lastId() {
      return state.lastId;
    },
    get comments() {
      return state.comments;
    },
    get retry() {
      return state.retry;
    },
    get begun() {
      if (state.lastId === '' && !ended) void more();
      return begun.promise;
    },
    next,
    async until(fits) {
      const come: StreamEvent[] = [];
      for (;;) {
        const event = await next();
        if (!event)
          throw new Error(`the stream ended after ${JSON.stringify(come).slice(0, 2000)}`);
        come.push(event);
        if (fits(event)) return come;
      }
    },
    async rest() {
      const come: StreamEvent[] = [];
      for (let event = await next(); event; event = await next()) come.push(event);
      return come;
    },
    close: () => reader.cancel().catch(() => {}),
  };
}
