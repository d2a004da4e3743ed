// `npm start`: installs and builds what is missing, then runs `dist/pqrs serve` with the given
// arguments until it ends. package.json says `exec node`, because the shell that npm starts would end
// at npm's signals and keep them from this process.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { executable, isFresh } from './build-state.mjs';
import { runBun } from './bun.mjs';
import { ensureInstalled } from './install.mjs';

ensureInstalled();
if (!isFresh()) {
  console.error('Building dist/pqrs ...');
  const code = await runBun(['scripts/build.ts']);
  if (code !== 0) process.exit(code);
}

const server = spawn(executable, ['serve', ...process.argv.slice(2)], { stdio: 'inherit' });

// A terminal sends Ctrl-C to the server as well, and npm repeats it to this process: passed on, it
// would reach the server again, as the impatient second one.
const fromTerminal = process.stdin.isTTY === true;
/** @type {Set<NodeJS.Signals>} */
const passedOn = new Set();

/** @param {NodeJS.Signals} signal */
function passOn(signal) {
  if (passedOn.has(signal)) return;
  passedOn.add(signal);
  setTimeout(() => passedOn.delete(signal), 1000).unref();
  server.kill(signal);
}

process.on('SIGINT', () => fromTerminal || passOn('SIGINT'));
process.on('SIGTERM', passOn);
process.on('SIGHUP', passOn);

// npm passes on neither SIGHUP nor its own violent end: the server should not outlive it.
const parent = process.ppid;
if (process.env.npm_lifecycle_event === 'start') {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    passOn('SIGTERM');
  }, 500);
  watch.unref();
}

server.on('error', (error) => {
  console.error(`dist/pqrs does not start: ${error.message}`);
  process.exitCode = 1;
});
server.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + (signal === null ? 1 : constants.signals[signal]);
});
