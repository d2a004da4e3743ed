// The project of the session's token, and what its holder may do: pages hide what would be refused,
// the server decides.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { accessRow, actingCapability, type Operation, type Rights } from '../../access/access.ts';

export interface Me {
  project: { name: string; slug: string; revision: number };
  label: string;
  rights: Rights;
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
  return actingCapability(accessRow(operation), useMe().rights) !== undefined;
}
