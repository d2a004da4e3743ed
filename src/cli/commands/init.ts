// `pqrs init`: make the data folder with its first project, and stop.
import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import { openContext } from '../../http/api/context.ts';
import { openLog } from '../../log.ts';
import { openServices } from '../../services.ts';
import { loadDemo } from '../administration/demo.ts';
import { firstStart } from '../administration/first-start.ts';
import { type Command, print, printJson, requirePositionals } from '../command.ts';

export const init: Command = {
  name: 'init',
  usage: '',
  help: 'Make the data folder and its first project, and stop.',
  options: {},
  settings: ['dataDir', 'databaseUrl', 'databaseToken', 'project', 'demo', 'logLevel'],
  async run(call) {
    requirePositionals(call);
    const context = await openContext(
      await openServices({ config: call.config, log: openLog('warn', true) }),
    );
    try {
      const { owner, ownerFile } = await firstStart(context);
      if (call.config.demo) await loadDemo(context);
      const dataDir = resolve(call.config.dataDir);
      if (call.json)
        return printJson({
          dataDir,
          created: owner !== undefined,
          project: owner?.slug,
          token: owner?.token,
        });
      print(`data     ${dataDir}`);
      if (!owner) return print('there is a project already');
      print(`project  ${owner.slug}`);
      if (!isatty(1)) return print(`token    in ${ownerFile}`);
      print(`token    ${owner.token}`);
      print(`         (shown this once; also in ${ownerFile})`);
    } finally {
      await context.close();
    }
  },
};
