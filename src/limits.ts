// The limits of the service, all of them configurable and all reported. The names are those of
// the settings.

export interface Limits {
  jsonBodyBytes: number;
  ndjsonBytes: number;
  importBytes: number;
  reportBytes: number;
  transferBytes: number;
  attachmentBytes: number;
  attachmentsPerIssue: number;
  logBatchEntries: number;
  requestsInFlight: number;
  streamsInFlight: number;
  heartbeatsInFlight: number;
  probesInFlight: number;
  /** Small bodies, of at most `jsonBodyBytes`, that are being received. */
  bodyBytesInFlight: number;
  /** Of what may be in flight: what widget and demo tokens may hold together. */
  publicPercent: number;
  /** Of that, or of the whole for other tokens: what one token may hold. */
  tokenPercent: number;
  /** The same for one token from one address (IPv6: from one /64). */
  addressPercent: number;
  eventStreamsPerToken: number;
  eventStreamsPerDemoToken: number;
  idleSeconds: number;
  /** How far a body may fall behind `bodyBytesPerSecond`. */
  bodySeconds: number;
  bodyBytesPerSecond: number;
  widgetPerMinute: number;
  widgetBurst: number;
  widgetTokenPerMinute: number;
  widgetTokenBytesPerDay: number;
  failedAuthPerMinute: number;
  ownerPerMinute: number;
  agentPerMinute: number;
  editorPerMinute: number;
  demoPerMinute: number;
  freeDiskBytes: number;
  writesPerCommit: number;
}

const MiB = 1024 * 1024;

/** Limits unless configured; 0 for a rate means that there is none. */
export const DEFAULT_LIMITS: Limits = {
  jsonBodyBytes: MiB,
  ndjsonBytes: 64 * MiB,
  importBytes: 64 * MiB,
  reportBytes: 64 * MiB,
  transferBytes: 64 * MiB,
  attachmentBytes: 100 * MiB,
  attachmentsPerIssue: 20,
  logBatchEntries: 10_000,
  requestsInFlight: 256,
  streamsInFlight: 1000,
  heartbeatsInFlight: 256,
  probesInFlight: 64,
  bodyBytesInFlight: 64 * MiB,
  publicPercent: 25,
  tokenPercent: 50,
  addressPercent: 25,
  eventStreamsPerToken: 100,
  eventStreamsPerDemoToken: 20,
  idleSeconds: 30,
  bodySeconds: 20,
  bodyBytesPerSecond: 4096,
  widgetPerMinute: 60,
  widgetBurst: 20,
  widgetTokenPerMinute: 600,
  widgetTokenBytesPerDay: 1024 * MiB,
  failedAuthPerMinute: 300,
  ownerPerMinute: 0,
  agentPerMinute: 0,
  editorPerMinute: 0,
  demoPerMinute: 0,
  freeDiskBytes: 256 * MiB,
  writesPerCommit: 1000,
};

/** What a request without `Content-Length` counts as before it is read. */
export const NO_LENGTH = 0;
