// The pages: each is loaded when it is first shown.
import type { ComponentType } from 'preact';
import type { PageProps } from '../core/route.ts';
import type { IconName } from '../parts/icons.tsx';

export type Page = ComponentType<PageProps>;

export interface PageEntry {
  id: string;
  title: string;
  icon: IconName;
  /** The letter that goes there, behind g. */
  key: string;
  load(): Promise<{ default?: never; Page: Page }>;
}

export interface PageGroup {
  title: string;
  pages: PageEntry[];
}

export const PAGE_GROUPS: PageGroup[] = [
  {
    title: '',
    pages: [
      {
        id: 'overview',
        title: 'Overview',
        icon: 'home',
        key: 'o',
        load: () => import('./overview/page.tsx'),
      },
      { id: 'gate', title: 'Gate', icon: 'gate', key: 'e', load: () => import('./gate/page.tsx') },
    ],
  },
  {
    title: 'Specify',
    pages: [
      {
        id: 'requirements',
        title: 'Requirements',
        icon: 'document',
        key: 'r',
        load: () => import('./requirements/page.tsx'),
      },
      {
        id: 'matrix',
        title: 'Matrix',
        icon: 'matrix',
        key: 'm',
        load: () => import('./matrix/page.tsx'),
      },
      {
        id: 'graph',
        title: 'Graph',
        icon: 'graph',
        key: 'g',
        load: () => import('./graph/page.tsx'),
      },
    ],
  },
  {
    title: 'Test',
    pages: [
      { id: 'runs', title: 'Runs', icon: 'run', key: 'u', load: () => import('./runs/page.tsx') },
      { id: 'live', title: 'Live', icon: 'live', key: 'l', load: () => import('./live/page.tsx') },
      {
        id: 'tests',
        title: 'Tests',
        icon: 'test',
        key: 't',
        load: () => import('./tests/page.tsx'),
      },
      { id: 'plan', title: 'Plan', icon: 'plan', key: 'p', load: () => import('./plan/page.tsx') },
    ],
  },
  {
    title: 'Judge',
    pages: [
      {
        id: 'issues',
        title: 'Issues',
        icon: 'issue',
        key: 'i',
        load: () => import('./issues/page.tsx'),
      },
      {
        id: 'transfer',
        title: 'Transfer',
        icon: 'transfer',
        key: 'v',
        load: () => import('./transfer/page.tsx'),
      },
    ],
  },
  {
    title: 'Operate',
    pages: [
      { id: 'logs', title: 'Logs', icon: 'log', key: 'k', load: () => import('./logs/page.tsx') },
      {
        id: 'sources',
        title: 'Sources & audit',
        icon: 'sources',
        key: 'a',
        load: () => import('./sources/page.tsx'),
      },
      {
        id: 'settings',
        title: 'Settings',
        icon: 'settings',
        key: 's',
        load: () => import('./settings/page.tsx'),
      },
    ],
  },
];

export const PAGES: PageEntry[] = PAGE_GROUPS.flatMap(({ pages }) => pages);
