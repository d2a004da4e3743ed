// The commands of pqrs, in the order of the help.

import type { Command } from './command.ts';
import { agent } from './commands/agent.ts';
import { backup } from './commands/backup.ts';
import { completionOf } from './commands/completion.ts';
import { credentialList, credentialRemove, credentialSet } from './commands/credential.ts';
import { doctor } from './commands/doctor.ts';
import { importSources } from './commands/import.ts';
import { init } from './commands/init.ts';
import { keysRotate, keysShow } from './commands/keys.ts';
import { openapi } from './commands/openapi.ts';
import { projectCreate, projectList } from './commands/project.ts';
import { report } from './commands/report.ts';
import { restore } from './commands/restore.ts';
import { serve } from './commands/serve.ts';
import { tokenCreate, tokenList, tokenRevoke } from './commands/token.ts';
import { version } from './commands/version.ts';

/** Every command of pqrs. */
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
