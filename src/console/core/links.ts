// Links of the API's answers, as addresses of the pages that show the same.
import { href } from './route.ts';

const PAGE_OF: Record<string, string> = {
  'agent/plan': 'plan',
  issues: 'issues',
  'project-traceability': 'matrix',
  ready: 'settings',
  'run-state': 'live',
  'srs-graph': 'requirements',
  'srs-source-audit': 'sources',
  'srs-story': 'requirements',
  'srs-workflow': 'requirements',
  'system-logs': 'logs',
  'test-runs': 'runs',
  'validation-transfer': 'transfer',
};

/** The page that shows what a link such as `/api/issues?severity=blocker` lists. */
export function addressOf(link: string): string {
  const { pathname, searchParams } = new URL(link, location.origin);
  const path = pathname.replace(/^\/api\/(?:v1\/)?/, '');
  const [resource = '', id] = path in PAGE_OF ? [path] : path.split('/');
  const page = PAGE_OF[resource] ?? 'overview';
  const query = Object.fromEntries(searchParams);
  if (resource === 'srs-graph' && query.view === 'diff')
    return href('sources', 'changes', { from: query.from, to: query.to });
  if (resource === 'test-runs' && (query.testKey || query.view))
    return href('tests', query.testKey ?? []);
  const { id: asked, ...filters } = query;
  const one = id ?? asked;
  return href(page, one === undefined ? [] : decodeURIComponent(one), filters);
}
