// `pqrs agent`: the reference agent, which claims suites from a server and works them.
import { type Command, requirePositionals } from '../command.ts';

export const agent: Command = {
  name: 'agent',
  usage: '--url URL --token-file FILE [--plan ID | --commands C,… | --strategy S] …',
  help: 'Claim test commands from a running server, run them and send their reports; 1 unless all were run and passed.',
  options: {
    url: { kind: 'text', help: 'of the server, else PQRS_URL' },
    'token-file': { kind: 'text', help: 'file that holds the token, else PQRS_TOKEN(_FILE)' },
    plan: { kind: 'text', help: 'id of the plan to work on' },
    commands: { kind: 'text', help: 'keys or ids of test commands, comma separated' },
    strategy: { kind: 'text', help: 'ask for a plan: risk, failures, gaps, changed, full (risk)' },
    kinds: { kind: 'text', help: 'of commands it runs (shell,bun-test,playwright,http)' },
    name: { kind: 'text', help: 'of this agent; the name of the host unless given' },
    environment: { kind: 'text', help: 'what the tests run on, kept with each run' },
    'max-items': { kind: 'text', help: 'most items to claim at a time (10)' },
    'lease-ms': { kind: 'text', help: 'for how long a claim lasts without a heartbeat' },
    'grace-ms': { kind: 'text', help: 'how long a signal lets the current item go on (30000)' },
    'kill-grace-ms': { kind: 'text', help: 'from asking a command to end to killing it (5000)' },
    'retry-ms': { kind: 'text', help: 'how long a server that is away is tried (120000)' },
    'work-dir': { kind: 'text', help: 'folder that the commands run in (.)' },
    'allow-outside': { kind: 'switch', help: 'let commands run outside of the work folder' },
    once: { kind: 'switch', help: 'end after one suite' },
  },
  settings: [],
  async run(call) {
    requirePositionals(call);
    const { runAgent } = await import('../runner/run-agent.ts');
    await runAgent(call);
  },
};
