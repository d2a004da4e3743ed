// The project of the session's token, and what its holder may do: pages hide what would be refused,
// the server decides.

import type { Static } from '@sinclair/typebox';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { accessRow, type Operation } from '../../access/access.ts';
import type { Project } from '../../requirements/projects/model.ts';

type ProjectOfCaller = Static<typeof Project>;

export interface Me {
  project: ProjectOfCaller;
  caller: NonNullable<ProjectOfCaller['caller']>;
  /** Asks again, after something that the frame shows has changed. */
  reload(): void;
}

export const Caller = createContext<Me | undefined>(undefined);

/** Who is signed in; a page is only shown where somebody is. */
export function useMe(): Me {
  const me = useContext(Caller);
  if (!me) throw new Error('nobody is signed in');
  return me;
}

/** Whether the caller may do an operation of the access table, such as `PATCH /issues/:id`. */
export function useMay(operation: Operation): boolean {
  return useMe().caller.operations.includes(accessRow(operation).operationId);
}
