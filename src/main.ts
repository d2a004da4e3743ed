import { run } from './cli/run.ts';

const code = await run(process.argv.slice(2));
// Output that was lost has set one of its own.
if (code !== 0) process.exitCode = code;
