// `pqrs keys`: the public keys by which other instances know this one's bundles, and the rotation of all
// keys.
import { join } from 'node:path';
import type { KeyKind, Rotation } from '../../operations/rotate-keys.ts';
import { earlierBundleKeys, openBundleKey } from '../../store/keys/bundle-key.ts';
import { existingDataFolder } from '../administration/data-folder.ts';
import { runAdministration } from '../administration/run.ts';
import { type Command, print, printJson, requirePositionals, UsageError } from '../command.ts';

const KINDS = ['signing', 'sealing', 'bundle'] as const satisfies readonly KeyKind[];

export const keysShow: Command = {
  name: 'keys show',
  usage: '',
  help: 'Print the public key that signs bundles of validations, and earlier ones.',
  options: {},
  settings: ['dataDir'],
  async run(call) {
    requirePositionals(call);
    // The key is a file of its own, so it does not matter whether a server has the folder open.
    const dataDir = existingDataFolder(call.config.dataDir);
    const { publicText } = await openBundleKey(join(dataDir, 'keys'));
    const earlier = await earlierBundleKeys(join(dataDir, 'keys'));
    if (call.json) return printJson({ publicKey: publicText, earlier });
    print(publicText);
    for (const one of earlier) print(`${one} (earlier)`);
  },
};

export const keysRotate: Command = {
  name: 'keys rotate',
  usage: KINDS.join('|'),
  help: 'Make a new key. Links and bundles of the earlier one stay good, credentials are sealed anew.',
  options: {},
  async run(call) {
    const [word = ''] = requirePositionals(call, KINDS.join('|'));
    const kind = KINDS.find((one) => one === word);
    if (!kind) throw new UsageError(`${word} is no kind of key; there are ${KINDS.join(', ')}`);
    const rotation = await runAdministration(call, 'keys rotate', { kind });
    if (call.json) return printJson(rotation);
    print(SAYS[kind](rotation));
  },
};

const SAYS: Record<KeyKind, (rotation: Rotation) => string> = {
  signing: ({ key, earlier, removed }) =>
    `links are signed with ${key}; ${earlier.length} earlier keys still verify, ${removed.length} were removed`,
  sealing: ({ key, resealed, unreadable }) =>
    `${resealed} credentials are sealed with ${key}${unreadable > 0 ? `; ${unreadable} could not be opened: set them anew` : ''}`,
  bundle: ({ key }) =>
    `bundles are signed with ${key}\nadd it to settings.trustedKeys where they are received`,
};
