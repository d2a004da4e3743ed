// How long a server takes to end at most; those who stop it and those who wait for it go by the same.

/** For what is under way when it is told to stop. */
export const DRAIN_MS = 10_000;
/** For closing the database then, and for a start until it can be asked. */
export const CLOSE_MS = 5000;
