// The help of pqrs and of each command.
import { describeSettings } from '../config.ts';
import { type Command, print } from './command.ts';

/** Prints every command, a line each. */
export function printOverview(commands: Command[]): void {
  print('pqrs keeps the requirements, tests and bug evidence of projects.');
  print();
  const width = Math.max(...commands.map(({ name }) => name.length));
  for (const { name, help } of commands) print(`  pqrs ${name.padEnd(width)}  ${help}`);
  print();
  print('pqrs COMMAND --help tells more. Without a command pqrs serves.');
}

/** Prints a command's arguments and every setting. */
export function printHelp(command: Command): void {
  print(`pqrs ${command.name} ${command.usage}`.trimEnd());
  print();
  print(`  ${command.help}`);
  print();
  const own = Object.entries(command.options).map(([name, { kind, help }]) => [
    `--${name}${kind === 'switch' ? '' : ' …'}`,
    help,
  ]);
  for (const [flag = '', help = ''] of [
    ...own,
    ['--json', 'print data as JSON'],
    ['--help', 'print this'],
  ]) {
    print(`  ${flag.padEnd(34)}${help}`);
  }
  print();
  print('Settings, as flag, variable of the environment, or key in pqrs.toml:');
  for (const { flag, variable, fallback, help } of describeSettings()) {
    const shown = fallback === undefined || String(fallback) === '' ? '' : ` (${fallback})`;
    print(`  ${(flag ?? '').padEnd(34)}${variable.padEnd(34)}${help}${shown}`);
  }
}
