// Runs: the list, one run, and what changed between two.
import { useRowKeys } from '../../core/keys.ts';
import type { PageProps } from '../../core/route.ts';
import { ChooseSides, Compare } from './compare.tsx';
import { RunList } from './list.tsx';
import { RunDetail } from './run.tsx';

export function Page({ route }: PageProps) {
  useRowKeys();
  const [id, view, other] = route.rest;
  if (id === undefined) return <RunList route={route} />;
  if (id === 'compare') return <ChooseSides to="" />;
  if (view !== 'compare') return <RunDetail key={id} id={id} route={route} />;
  if (other === undefined) return <ChooseSides key={id} to={id} />;
  return <Compare key={`${id} ${other}`} from={other} to={id} route={route} />;
}
