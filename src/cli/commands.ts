// The commands of pqrs, in the order of the help.
import { agent } from './agent.ts';
import { backup } from './backup.ts';
import type { Command } from './command.ts';
import { completionOf } from './completion.ts';
import { credentialList, credentialRemove, credentialSet } from './credential.ts';
import { doctor } from './doctor.ts';
import { importSources } from './import.ts';
import { init } from './init.ts';
import { keysRotate, keysShow } from './keys.ts';
import { openapi } from './openapi.ts';
import { projectCreate, projectList } from './project.ts';
import { report } from './report.ts';
import { restore } from './restore.ts';
import { serve } from './serve.ts';
import { tokenCreate, tokenList, tokenRevoke } from './token.ts';
import { version } from './version.ts';

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
