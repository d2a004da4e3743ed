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
  idleSeconds: number;
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
  idleSeconds: 30,
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
