// `pqrs version`.
import { VERSION } from '../../version.ts';
import { type Command, print, printJson, requirePositionals } from '../command.ts';

export const version: Command = {
  name: 'version',
  usage: '',
  help: 'Print the version.',
  options: {},
  settings: [],
  async run(call) {
    requirePositionals(call);
    if (call.json) return printJson({ version: VERSION });
    print(`pqrs ${VERSION}`);
  },
};
