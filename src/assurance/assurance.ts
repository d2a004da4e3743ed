// What the operations of the assurance work with: requirements and evidence, and the state of the
// stories that is made of both.

import { join, resolve } from 'node:path';
import type { Evidence } from '../evidence/evidence.ts';
import type { Requirements } from '../requirements/requirements.ts';
import { type BundleKey, openBundleKey } from '../store/bundle-key.ts';
import { type AssuranceStates, openStates } from './state.ts';

export interface Assurance extends Evidence, Requirements {
  states: AssuranceStates;
  /** The key that signs bundles, made when it is first asked for. */
  bundleKey(): Promise<BundleKey>;
}

/** Opens the assurance. */
export function openAssurance(context: Evidence & Requirements): Assurance {
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
