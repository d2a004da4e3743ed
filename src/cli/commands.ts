// The commands of pqrs, in the order of the help.
import { apiDocument } from '../app.ts';
import { documentText } from '../http/document/document.ts';
import { VERSION } from '../version.ts';
import { type Command, print, printJson, requirePositionals } from './command.ts';
import { backup, restore } from './commands/backup.ts';
import { agent, report } from './commands/clients.ts';
import { completionOf } from './commands/completion.ts';
import { credentialList, credentialRemove, credentialSet } from './commands/credential.ts';
import { doctor } from './commands/doctor.ts';
import { importSources } from './commands/import.ts';
import { init } from './commands/init.ts';
import { keysRotate, keysShow } from './commands/keys.ts';
import { projectCreate, projectList } from './commands/project.ts';
import { serve } from './commands/serve.ts';
import { tokenCreate, tokenList, tokenRevoke } from './commands/token.ts';

const openapi: Command = {
  name: 'openapi',
  usage: '',
  help: 'Print the API document (OpenAPI, JSON).',
  options: {},
  settings: [],
  printsNoData: true,
  async run(call) {
    requirePositionals(call);
    process.stdout.write(documentText(await apiDocument()));
  },
};

const version: Command = {
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

export const COMMANDS: Command[] = [
  serve,
  init,
  projectCreate,
  projectList,
  tokenCreate,
  tokenList,
  tokenRevoke,
  credentialSet,
  credentialList,
  credentialRemove,
  importSources,
  report,
  agent,
  backup,
  restore,
  doctor,
  keysShow,
  keysRotate,
  openapi,
  version,
];

COMMANDS.push(completionOf(COMMANDS));
