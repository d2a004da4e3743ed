// `pqrs keys`: the public keys by which other instances know this one's bundles, and the rotation of all
// keys.
import { join } from 'node:path';
import type { KeyKind } from '../../operations/rotate-keys.ts';
import { earlierBundleKeys, openBundleKey } from '../../store/keys/bundle-key.ts';
import { existingDataFolder } from '../administration/data-folder.ts';
import { runAdministration } from '../administration/run.ts';
import { type Command, UsageError } from '../command.ts';

const KINDS = ['signing', 'sealing', 'bundle'] as const satisfies readonly KeyKind[];

export const keysShow: Command = {
  name: 'keys show',
  help: 'Print the public key that signs bundles of validations, and earlier ones.',
  settings: ['dataDir'],
  async run({ config }) {
    // The key is a file of its own, so it does not matter whether a server has the folder open.
    const folder = join(existingDataFolder(config.dataDir), 'keys');
    const { publicText: publicKey } = await openBundleKey(folder);
    const earlier = await earlierBundleKeys(folder);
    return {
      data: { publicKey, earlier },
      lines: [publicKey, ...earlier.map((one) => `${one} (earlier)`)],
    };
  },
};

export const keysRotate: Command = {
  name: 'keys rotate',
  args: [KINDS.join('|')],
  help: 'Make a new key. Links and bundles of the earlier one stay good, credentials are sealed anew; who trusts bundles is to be given the new one.',
  async run(call) {
    const [word] = call.positionals;
    const kind = KINDS.find((one) => one === word);
    if (!kind) throw new UsageError(`${word} is no kind of key; there are ${KINDS.join(', ')}`);
    const rotation = await runAdministration(call, 'keys rotate', { kind });
    const { key, earlier, removed, resealed, unreadable } = rotation;
    const counts = `${earlier.length} earlier keys are still known, ${removed.length} were removed`;
    const lines = [`the ${kind} key is ${key}`, counts];
    if (kind === 'sealing') lines.push(`${resealed} credentials are sealed with it`);
    if (unreadable > 0) lines.push(`${unreadable} could not be opened: set them anew`);
    return { data: rotation, lines };
  },
};
