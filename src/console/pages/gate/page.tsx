import { PageHead } from '../../parts/layout.tsx';

export function Page() {
  return <PageHead title="Gate" />;
}
