// Tests: which cannot be relied on, which fail together, which take long, how it has gone.
import { useRowKeys } from '../../core/keys.ts';
import type { PageProps } from '../../core/route.ts';
import { TestDetail } from './test.tsx';
import { FlakyList, SlowestList, TestsOverview } from './views.tsx';

export function Page({ route }: PageProps) {
  useRowKeys();
  const [testKey] = route.rest;
  if (testKey !== undefined) return <TestDetail key={testKey} testKey={testKey} route={route} />;
  const list = route.query.get('list');
  if (list === 'flaky') return <FlakyList route={route} />;
  if (list === 'slowest') return <SlowestList route={route} />;
  return <TestsOverview route={route} />;
}
