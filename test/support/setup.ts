// Before every test file: what takes this long hangs. No test is about how long something takes;
// long campaigns say how long they may take.
import { setDefaultTimeout } from 'bun:test';

setDefaultTimeout(Number(process.env.TEST_TIMEOUT_MS ?? 60_000));
