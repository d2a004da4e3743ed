// The limits of the service, all of them configurable and all reported. The names are those of
// the settings.

const MiB = 1024 * 1024;

/** For so long the first success of a request with an idempotency key is answered again. */
export const IDEMPOTENCY_MS = 24 * 3600 * 1000;

interface Limit {
  fallback: number;
  /** Unit and meaning, for the help. */
  help: string;
}

/** Characters of the id of a story, in sources as in requests. */
export const MAX_ID_LENGTH = 1000;

const LIMITS = {
  jsonBodyBytes: { fallback: MiB, help: 'bytes of a JSON body' },
  ndjsonBytes: { fallback: 64 * MiB, help: 'bytes of an NDJSON body' },
  importBytes: { fallback: 64 * MiB, help: 'bytes of sources in one import' },
  reportBytes: { fallback: 64 * MiB, help: 'bytes of a test report' },
  transferBytes: { fallback: 64 * MiB, help: 'bytes of a validation transfer' },
  attachmentBytes: { fallback: 100 * MiB, help: 'bytes of an attachment' },
  attachmentsPerIssue: { fallback: 20, help: 'attachments of an issue' },
  logBatchEntries: { fallback: 10_000, help: 'entries of a batch of system logs' },
  requestsInFlight: { fallback: 256, help: 'requests answered at the same time' },
  streamsInFlight: { fallback: 1000, help: 'event streams open at the same time' },
  heartbeatsInFlight: { fallback: 256, help: 'heartbeats of agents answered at the same time' },
  probesInFlight: { fallback: 64, help: 'health and readiness probes answered at the same time' },
  longQueriesPerToken: {
    fallback: 4,
    help: 'queries of one token that look at many rows, worked on at once; others wait',
  },
  queryMs: { fallback: 10_000, help: 'milliseconds that such a query may take' },
  bodyBytesInFlight: {
    fallback: 64 * MiB,
    help: 'bytes of memory for JSON bodies that are being received',
  },
  publicPercent: {
    fallback: 25,
    help: 'percent of what may be in flight that widget and demo tokens have together',
  },
  tokenPercent: { fallback: 50, help: 'percent of that, or of the whole, that one token has' },
  addressPercent: {
    fallback: 25,
    help: 'percent of the same that one token has from one address (IPv6: /64)',
  },
  eventStreamsPerToken: { fallback: 100, help: 'event streams that one token follows at once' },
  eventStreamsPerDemoToken: { fallback: 20, help: 'the same, streams of a read:demo token' },
  idleSeconds: { fallback: 30, help: 'seconds until a silent connection is closed' },
  bodySeconds: {
    fallback: 20,
    help: 'seconds that a body may fall behind the bytes per second below',
  },
  bodyBytesPerSecond: { fallback: 4096, help: 'bytes per second that a body must not fall behind' },
  widgetPerMinute: {
    fallback: 60,
    help: 'requests per minute of a widget token from one address; 0: no limit',
  },
  widgetBurst: { fallback: 20, help: 'requests of the same in one burst' },
  widgetTokenPerMinute: {
    fallback: 600,
    help: 'requests per minute of a widget token from everywhere; 0: no limit',
  },
  widgetTokenBytesPerDay: {
    fallback: 1024 * MiB,
    help: 'bytes per day that a widget token sends; 0: no limit',
  },
  failedAuthPerMinute: {
    fallback: 300,
    help: 'failed authentications per minute from one address; 0: no limit',
  },
  ownerPerMinute: {
    fallback: 0,
    help: 'requests per minute of a project:owner token; 0: no limit',
  },
  agentPerMinute: {
    fallback: 0,
    help: 'requests per minute of an agent:execute token; 0: no limit',
  },
  editorPerMinute: { fallback: 0, help: 'requests per minute of a srs:edit token; 0: no limit' },
  demoPerMinute: { fallback: 0, help: 'requests per minute of a read:demo token; 0: no limit' },
  freeDiskBytes: { fallback: 256 * MiB, help: 'bytes of free disk below which nothing is written' },
  writesPerCommit: { fallback: 1000, help: 'writes that one commit joins' },
} satisfies Record<string, Limit>;

export type Limits = Record<keyof typeof LIMITS, number>;

export const LIMIT_ENTRIES: readonly (readonly [string, Limit])[] = Object.entries(LIMITS);

/** Limits unless configured. */
export const DEFAULT_LIMITS = Object.fromEntries(
  LIMIT_ENTRIES.map(([name, { fallback }]) => [name, fallback]),
) as Limits;

/** What a request without `Content-Length` counts as before it is read. */
export const NO_LENGTH = 0;

/** As a pattern for the whole of it, and as a sentence that follows its name. */
export const SLUG = {
  charactersMost: 63,
  pattern: '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$',
  says: 'must be lower-case letters, digits and inner hyphens, 63 at most',
} as const;

export function isSlug(text: string): boolean {
  return text.length <= SLUG.charactersMost && new RegExp(SLUG.pattern).test(text);
}
