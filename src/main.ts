// The executable: finds the command, runs it, and turns how it ends into an exit code.
import { resolve } from 'node:path';
import { type CommandCall, outliveReaders, readCall, UsageError } from './cli/command.ts';
import { printGroup, printHelp, printOverview } from './cli/commands/help.ts';
import { serve } from './cli/commands/serve.ts';
import { COMMANDS } from './cli/commands.ts';
import { failureText } from './cli/failure.ts';
import { withoutSecrets } from './cli/whole-token.ts';
import { type Config, ConfigError } from './config.ts';

/** Other ways in which people ask for help and for the version. */
function usual([first, ...rest]: string[]): string[] {
  if (first === 'help') return [...rest, '--help'];
  if (first === '--version' || first === '-v') return ['version', ...rest];
  return first === undefined ? [] : [first, ...rest];
}

async function main(args: string[]): Promise<number> {
  const words = args.join(' ');
  const named = COMMANDS.find(({ name }) => words === name || words.startsWith(`${name} `));
  const wantsHelp = args.includes('--help') || args.includes('-h');
  const [first = ''] = args;
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  if (!named && wantsHelp && (group.length > 0 || first.startsWith('-'))) {
    outliveReaders();
    if (group.length > 0) printGroup(first, group);
    else printOverview(COMMANDS);
    return 0;
  }
  if (!named && first !== '' && !first.startsWith('-')) {
    const typed = args.filter((arg) => !arg.startsWith('-')).join(' ');
    complain(
      `there is no command "${typed}"; see pqrs ${group.length > 0 ? `${first} ` : ''}--help`,
    );
    return 2;
  }
  const command = named ?? serve;
  if (command !== serve || wantsHelp) outliveReaders();
  if (wantsHelp) {
    printHelp(command);
    return 0;
  }
  let call: CommandCall | undefined;
  try {
    call = readCall(command, named ? args.slice(named.name.split(' ').length) : args);
    await command.run(call);
    return 0;
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConfigError) {
      complain(error.message);
      return 2;
    }
    complain(failureText(error, storageOf(call?.config), isTraced(call?.config)));
    return 1;
  }
}

/** Says what is wrong, and never a token that was taken for something else. */
function complain(text: string): void {
  process.stderr.write(`pqrs: ${withoutSecrets(text)}\n`);
}

/** Where what a command reads and writes lies. The address of a server may hold a secret. */
function storageOf(config: Config | undefined): string {
  if (config === undefined) return 'the data folder';
  const folder = `the data folder ${resolve(config.dataDir)}`;
  return config.databaseUrl === undefined ? folder : `the database server or ${folder}`;
}

function isTraced(config: Config | undefined): boolean {
  return config?.logLevel === 'debug' || config?.logLevel === 'trace';
}

const code = await main(usual(process.argv.slice(2)));
// Output that was lost has set one of its own.
if (code !== 0) process.exitCode = code;
