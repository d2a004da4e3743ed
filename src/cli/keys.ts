// `pqrs keys show`: the public key by which other instances know this one's bundles.
import { join } from 'node:path';
import { openBundleKey } from '../store/bundle-key.ts';
import { type Command, print, printJson, requirePositionals } from './command.ts';
import { existingDataFolder } from './data-folder.ts';

export const keysShow: Command = {
  name: 'keys show',
  usage: '',
  help: 'Print the public key that signs bundles of validations.',
  options: {},
  async run(call) {
    requirePositionals(call);
    // The key is a file of its own, so it does not matter whether a server has the folder open.
    const dataDir = existingDataFolder(call.config.dataDir);
    const { publicText } = await openBundleKey(join(dataDir, 'keys'));
    if (call.json) return printJson({ publicKey: publicText });
    print(publicText);
  },
};
