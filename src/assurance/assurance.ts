// What the operations of the assurance work with: requirements, evidence and quality, and the
// state of the stories that is made of them.

import { join, resolve } from 'node:path';
import type { Quality } from '../quality/quality.ts';
import { type BundleKey, openBundleKey } from '../store/keys/bundle-key.ts';
import { openStatusRecorder, type StatusRecorder } from './coverage/history.ts';
import { type AssuranceStates, openStates } from './state/states.ts';

export interface Assurance extends Quality {
  states: AssuranceStates;
  /** Counts the statuses of a project's stories for their history. */
  recordStatuses: StatusRecorder;
  /** The key that signs bundles, made when it is first asked for. */
  bundleKey(): Promise<BundleKey>;
}

export function openAssurance<S extends Quality>(context: S): S & Assurance {
  const states = openStates(context);
  context.scenarioResults.of = async (projectId) => {
    const { results } = await states.of(projectId);
    return (id) => results.of({ kind: 'scenario', id });
  };
  return {
    ...context,
    states,
    recordStatuses: openStatusRecorder({ ...context, stateOf: states.of }),
    // Read each time: it may have been rotated, and few bundles are made.
    async bundleKey() {
      const { keyRecord, config } = context;
      const isNew = keyRecord.mayMake('bundle');
      const key = await openBundleKey(join(resolve(config.dataDir), 'keys'), keyRecord);
      if (isNew) await keyRecord.check();
      return key;
    },
  };
}
