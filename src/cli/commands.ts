// The commands of pqrs, in the order of the help.
import { apiDocument } from '../app.ts';
import { documentText } from '../http/document/document.ts';
import { VERSION } from '../version.ts';
import type { Command } from './command.ts';
import {
  credentialList,
  credentialRemove,
  credentialSet,
  keysRotate,
  keysShow,
  tokenCreate,
  tokenList,
  tokenRevoke,
} from './commands/access.ts';
import { backup, restore } from './commands/backup.ts';
import { agent, report } from './commands/clients.ts';
import { completionOf } from './commands/completion.ts';
import { doctor } from './commands/doctor.ts';
import { gate } from './commands/gate.ts';
import { importSources } from './commands/import.ts';
import { init, projectCreate, projectList } from './commands/project.ts';
import { serve } from './commands/serve.ts';

const openapi: Command = {
  name: 'openapi',
  help: 'Print the API document (OpenAPI, JSON).',
  settings: [],
  printsNoData: true,
  async run() {
    process.stdout.write(documentText(await apiDocument()));
  },
};

const clientTypescript: Command = {
  name: 'client typescript',
  help: 'Print a typed client of the API: one TypeScript file without dependencies.',
  settings: [],
  printsNoData: true,
  async run() {
    // Made at build time, by scripts/build-client.ts.
    const { default: text } = await import('./client.txt', { with: { type: 'text' } });
    process.stdout.write(text);
  },
};

const version: Command = {
  name: 'version',
  help: 'Print the version.',
  settings: [],
  async run() {
    return { data: { version: VERSION }, lines: [`pqrs ${VERSION}`] };
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
  gate,
  report,
  agent,
  backup,
  restore,
  doctor,
  keysShow,
  keysRotate,
  openapi,
  clientTypescript,
  version,
];

COMMANDS.push(completionOf(COMMANDS));
