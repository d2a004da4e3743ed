// Before every test file: what takes this long hangs. No test is about how long something takes.
import { setDefaultTimeout } from 'bun:test';

setDefaultTimeout(60_000);
