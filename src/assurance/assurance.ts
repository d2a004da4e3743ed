// What the operations of the assurance work with: requirements, evidence and quality, and the
// state of the stories that is made of them.

import { join, resolve } from 'node:path';
import type { Quality } from '../quality/quality.ts';
import { type BundleKey, openBundleKey } from '../store/bundle-key.ts';
import { type AssuranceStates, openStates } from './state.ts';

export interface Assurance extends Quality {
  states: AssuranceStates;
  /** The key that signs bundles, made when it is first asked for. */
  bundleKey(): Promise<BundleKey>;
}

/** Opens the assurance. */
export function openAssurance(context: Quality): Assurance {
  let key: Promise<BundleKey> | undefined;
  return {
    ...context,
    states: openStates(context),
    bundleKey() {
      key ??= openBundleKey(join(resolve(context.config.dataDir), 'keys'));
      key.catch(() => {
        key = undefined;
      });
      return key;
    },
  };
}
