// Who is at work on what right now, as it happens.

import { useRowKeys } from '../../core/keys.ts';
import type { PageProps } from '../../core/route.ts';
import { Agents } from './agents.tsx';
import { LiveRun } from './run.tsx';

export function Page({ route }: PageProps) {
  useRowKeys();
  const [runId] = route.rest;
  return runId === undefined ? <Agents /> : <LiveRun key={runId} runId={runId} />;
}
