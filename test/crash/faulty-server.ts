// The service with faults in it that nobody handles: promises that are rejected and errors that are
// thrown out of timers, again and again.

setInterval(() => {
  void Promise.reject(new Error('a rejection on purpose'));
}, 20);
setInterval(() => {
  throw new Error('an error on purpose');
}, 30);

await import('../../src/main.ts');
