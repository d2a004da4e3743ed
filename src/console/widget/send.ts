// Sends reports. What cannot be sent now waits in localStorage; each has a key of its own, so that a
// report that did arrive before its connection broke is not filed twice.
const MAX_WAITING = 20;
const MAX_IMAGE = 1_000_000;
const MAX_STORED = 3_000_000;
const RETRY_MS = 60_000;
const TIMEOUT_MS = 60_000;

type Issue = Record<string, unknown>;

interface Report {
  key: string;
  issue: Issue;
  /** Where the issue is filed and its screenshot is not. */
  issueId?: string;
  /** A data URL. */
  image?: string;
}

export type Outcome =
  | { state: 'sent'; id: string; imageRefused?: string }
  | { state: 'waiting'; withoutImage: boolean }
  | { state: 'refused'; detail: string };

export interface Sender {
  send(issue: Issue, image?: Blob): Promise<Outcome>;
  /** How many reports wait. */
  waiting(): number;
}

/** What was answered would be answered again. */
class Refused extends Error {}

/** @param api - the address of the API, ending with a slash */
export function createSender(api: string, token: string, project: string): Sender {
  // The page's own, before it is recorded.
  const { fetch } = window;
  const store = `pqrs ${api} ${project}`;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function post(path: string, key: string, body: BodyInit, more: HeadersInit) {
    const response = await fetch(api + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Idempotency-Key': key, ...more },
      body,
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = await response.json();
    if (response.ok) return answer as { id: string };
    const text = `${answer.detail ?? response.status}`;
    // 409: the same report is under way, from another tab.
    if (response.status >= 500 || [408, 409, 425, 429].includes(response.status))
      throw new Error(text);
    throw new Refused(text);
  }

  async function deliver(report: Report, image: Blob | undefined): Promise<Outcome> {
    const { key, issue } = report;
    const json = { 'Content-Type': 'application/json' };
    report.issueId ??= (await post('issues', key, JSON.stringify(issue), json)).id;
    const id = report.issueId;
    if (!image) return { state: 'sent', id };
    const form = new FormData();
    form.append('kind', 'screenshot');
    form.append('file', image, `screenshot.${image.type.replace('image/', '')}`);
    try {
      await post(`issues/${id}/attachments`, `${key}-image`, form, {});
      return { state: 'sent', id };
    } catch (error) {
      if (error instanceof Refused) return { state: 'sent', id, imageRefused: error.message };
      throw error;
    }
  }

  function stored(): Report[] {
    try {
      return JSON.parse(localStorage.getItem(store) ?? '[]');
    } catch {
      return [];
    }
  }

  /** @returns whether it fits */
  function put(reports: Report[]): boolean {
    try {
      const text = JSON.stringify(reports);
      if (reports.length === 0) localStorage.removeItem(store);
      else if (reports.length > MAX_WAITING || text.length > MAX_STORED) return false;
      else localStorage.setItem(store, text);
      return true;
    } catch {
      return false;
    }
  }

  async function wait(report: Report, blob: Blob | undefined): Promise<Outcome> {
    const image = blob && (await dataUrl(blob));
    clearTimeout(timer);
    timer = setTimeout(flush, RETRY_MS);
    const others = stored();
    if (image && image.length <= MAX_IMAGE && put([...others, { ...report, image }]))
      return { state: 'waiting', withoutImage: false };
    if (put([...others, report])) return { state: 'waiting', withoutImage: image !== undefined };
    return {
      state: 'refused',
      detail: 'The service does not answer, and no more reports can wait here.',
    };
  }

  async function flushAll(): Promise<void> {
    for (const report of stored()) {
      try {
        await deliver(report, report.image ? blobOf(report.image) : undefined);
      } catch (error) {
        if (!(error instanceof Refused)) {
          clearTimeout(timer);
          timer = setTimeout(flush, RETRY_MS);
          return;
        }
        console.warn(`pqrs: a report that waited was refused: ${error.message}`);
      }
      // Read again: others may have come meanwhile.
      put(stored().filter(({ key }) => key !== report.key));
    }
  }

  function flush(): void {
    if (stored().length === 0) return;
    // One tab at a time, where the browser can tell.
    if (!navigator.locks) void flushAll();
    else void navigator.locks.request(store, { ifAvailable: true }, (lock) => lock && flushAll());
  }

  addEventListener('online', flush);
  flush();

  return {
    async send(issue, image) {
      const report = { key: randomKey(), issue };
      try {
        const outcome = await deliver(report, image);
        flush();
        return outcome;
      } catch (error) {
        if (error instanceof Refused) return { state: 'refused', detail: error.message };
        return wait(report, image);
      }
    },
    waiting: () => stored().length,
  };
}

/** Not `randomUUID`, which pages without TLS do not have. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].join('-');
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** Not by `fetch`, which the page's policy may keep from `data:`. */
function blobOf(url: string): Blob {
  const [head = '', base64 = ''] = url.split(',');
  const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  return new Blob([bytes], { type: /:(.*);/.exec(head)?.[1] ?? '' });
}
