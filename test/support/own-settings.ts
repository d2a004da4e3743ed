// Settings of the instances that the contract tests start: as a user has them, but for the rate
// limits, which would slow the tests down, and the size of an attachment, which they go beyond.

/** Bytes that an attachment may have on these instances. */
export const ATTACHMENT_BYTES = 2 * 1024 * 1024;

const MANY = '1000000';

/** The settings as flags, without their hyphens. */
export const OWN_FLAGS: Record<string, string | boolean> = {
  demo: true,
  'attachment-bytes': String(ATTACHMENT_BYTES),
  ...{ 'widget-per-minute': MANY, 'widget-burst': MANY, 'widget-token-per-minute': MANY },
  ...{ 'failed-auth-per-minute': MANY, 'log-level': 'trace' },
};
