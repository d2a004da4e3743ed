// What was seen to be wrong: a list, one issue, a form for a new one.
import type { PageProps } from '../../core/route.ts';
import { NewIssue } from './filing.tsx';
import { OneIssue } from './issue.tsx';
import { IssueList } from './list.tsx';

export function Page({ route }: PageProps) {
  const [id] = route.rest;
  if (id === undefined) return <IssueList route={route} />;
  if (id === 'new') return <NewIssue route={route} />;
  return <OneIssue key={id} id={id} />;
}
