// `pqrs report`: test reports go to a running server, and the exit code is their verdict.
import { type Command, UsageError } from '../command.ts';

export const report: Command = {
  name: 'report',
  usage: 'FILE_OR_PATTERN… --url URL --token-file FILE [--command KEY_OR_ID] …',
  help: 'Send test reports (JUnit XML, CTRF, TAP, JSON) to a running server; 1 unless all passed.',
  options: {
    url: { kind: 'text', help: 'of the server, else PQRS_URL' },
    'token-file': { kind: 'text', help: 'file that holds the token, else PQRS_TOKEN(_FILE)' },
    command: { kind: 'text', help: 'key or id of the test command that was run' },
    name: { kind: 'text', help: 'name of the run' },
    commit: { kind: 'text', help: 'told by the CI system or by .git unless given' },
    branch: { kind: 'text', help: 'told by the CI system or by .git unless given' },
    environment: { kind: 'text', help: 'what the tests ran on' },
    'external-id': { kind: 'text', help: 'the same id with the same report is one run' },
    execution: { kind: 'text', help: 'JSON file that tells how the tests were run' },
    attach: { kind: 'texts', help: 'a file to keep with the run; may be repeated' },
    'retry-ms': { kind: 'text', help: 'how long a server that is away is tried (120000)' },
  },
  settings: [],
  async run(call) {
    if (call.positionals.length === 0) throw new UsageError('this command takes FILE_OR_PATTERN…');
    const { sendReports } = await import('../runner/send-reports.ts');
    await sendReports(call);
  },
};
