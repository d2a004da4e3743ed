// The help of pqrs, of each group of commands and of each command.
import { type Command, ownFlags, print, settingsOf } from '../command.ts';

/** Prints every command, a line each. */
export function printOverview(commands: Command[]): void {
  print('pqrs keeps the requirements, tests and bug evidence of projects.');
  print();
  printCommands(commands);
  print();
  print('pqrs COMMAND --help tells more. Without a command pqrs serves.');
}

/** Prints the commands of a group, such as `token`. */
export function printGroup(group: string, commands: Command[]): void {
  print(`pqrs ${group} COMMAND`);
  print();
  printCommands(commands);
  print();
  print(`pqrs ${group} COMMAND --help tells more.`);
}

function printCommands(commands: Command[]): void {
  const width = Math.max(...commands.map(({ name }) => name.length));
  for (const { name, help } of commands) print(`  pqrs ${name.padEnd(width)}  ${help}`);
}

/** Prints a command's arguments and the settings that it uses. */
export function printHelp(command: Command): void {
  print(`pqrs ${command.name} ${command.usage}`.trimEnd());
  print();
  print(`  ${command.help}`);
  print();
  for (const { name, kind, help } of ownFlags(command))
    print(flagLine(name, kind !== 'switch') + help);
  const settings = settingsOf(command);
  if (settings.length === 0) return;
  print();
  print('Settings, as flag, variable of the environment, or key in pqrs.toml:');
  for (const { flag, isSwitch, variable, fallback, help } of settings) {
    const shown = fallback === undefined || String(fallback) === '' ? '' : ` (${fallback})`;
    const start = flag === undefined ? ''.padEnd(36) : flagLine(flag, !isSwitch);
    print(`${start}${variable.padEnd(34)}${help}${shown}`);
  }
}

function flagLine(name: string, takesValue: boolean): string {
  return `  ${`--${name}${takesValue ? ' …' : ''}`.padEnd(34)}`;
}
