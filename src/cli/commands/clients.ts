// `pqrs report` and `pqrs agent`: clients of a running server.
import type { Command } from '../command.ts';

export const SERVER = {
  url: { kind: 'text', help: 'of the server, else PQRS_URL' },
  'token-file': { kind: 'text', help: 'file that holds the token, else PQRS_TOKEN(_FILE)' },
  ca: { kind: 'text', help: 'certificates (PEM) that its own is signed by, beside the known ones' },
} as const;
const RETRY = {
  'retry-ms': { kind: 'text', help: 'how long a server that is away is tried (120000)' },
} as const;

export const report: Command = {
  name: 'report',
  args: ['FILE_OR_PATTERN…'],
  usage: '--url URL --token-file FILE [--command KEY_OR_ID] …',
  help: 'Send test reports (JUnit XML, CTRF, TAP, JSON) to a running server; 1 unless all passed.',
  options: {
    ...SERVER,
    command: { kind: 'text', help: 'key or id of the test command that was run' },
    name: { kind: 'text', help: 'name of the run' },
    commit: { kind: 'text', help: 'from the CI system or .git unless given' },
    branch: { kind: 'text', help: 'from the CI system or .git unless given' },
    environment: { kind: 'text', help: 'what the tests ran on' },
    'external-id': {
      kind: 'text',
      help: 'the same id with the same report is one run; of the CI job unless given',
    },
    execution: { kind: 'text', help: 'JSON file that says how the tests were run' },
    attach: {
      kind: 'texts',
      help: 'a file, pattern or folder to keep with the run; may be repeated',
    },
    format: { kind: 'text', help: 'text, github (annotations and summary) or gitlab (JUnit XML)' },
    ...RETRY,
  },
  settings: [],
  async run(call) {
    const { sendReports } = await import('../runner/send-reports.ts');
    await sendReports(call);
  },
};

export const agent: Command = {
  name: 'agent',
  usage: '--url URL --token-file FILE [--plan ID | --commands C,… | --strategy S] …',
  help: 'Claim test commands from a running server, run them and send their reports; 1 unless all were run and passed.',
  options: {
    ...SERVER,
    plan: { kind: 'text', help: 'id of the plan to work on' },
    commands: { kind: 'text', help: 'keys or ids of test commands, comma separated' },
    strategy: { kind: 'text', help: 'ask for a plan: risk, failures, gaps, changed, full (risk)' },
    kinds: { kind: 'text', help: 'of commands it runs (shell,bun-test,playwright)' },
    name: { kind: 'text', help: 'of this agent; the name of the host unless given' },
    environment: { kind: 'text', help: 'what the tests run on, kept with each run' },
    'max-items': { kind: 'text', help: 'most items to claim at a time (10)' },
    'lease-ms': { kind: 'text', help: 'for how long a claim lasts without a heartbeat (120000)' },
    'grace-ms': { kind: 'text', help: 'how long a signal lets the current item go on (30000)' },
    'kill-grace-ms': { kind: 'text', help: 'from asking a command to end to killing it (5000)' },
    ...RETRY,
    'work-dir': { kind: 'text', help: 'folder that the commands run in (.)' },
    'allow-outside': { kind: 'switch', help: 'let commands run outside of the work folder' },
    once: { kind: 'switch', help: 'end after one suite' },
  },
  settings: [],
  async run(call) {
    const { runAgent } = await import('../runner/agent.ts');
    await runAgent(call);
  },
};
