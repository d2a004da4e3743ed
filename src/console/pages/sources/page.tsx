// The sources of the requirements: what is wrong in them, what changed, the next import.
import type { PageProps } from '../../core/route.ts';
import { Audit } from './audit.tsx';
import { Changes } from './changes.tsx';
import { Import } from './import.tsx';

export function Page({ route }: PageProps) {
  const [part] = route.rest;
  if (part === 'changes') return <Changes route={route} />;
  if (part === 'import') return <Import route={route} />;
  return <Audit route={route} />;
}
