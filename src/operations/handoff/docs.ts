// What the API document says of the handoff.

import { DEFAULT_LIMITS } from '../../limits.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { buildHandoff } from './build.ts';
import type { Facts } from './candidates.ts';
import { handoffMarkdown } from './markdown.ts';

const FACTS: Facts = {
  project: {
    id: 'prj_01k2z3a4b5c6d7e8f9g0h1j2k3',
    slug: 'shop',
    name: 'Shop',
    description: '',
    settings: { needs: ['test'] },
    revision: 3,
    sources: { total: 2, failed: [] },
    audit: { errors: 0, warnings: 1 },
  },
  counts: {
    stories: { total: 12, own: 12, inherited: 0, notCounted: 0 },
    statuses: { failing: 1, uncovered: 4, passing: 7 },
    gaps: { failing_test: 1, unmet_need: 4 },
    issues: { open: 2 },
    overlays: { proposed: 0, conflicted: 0 },
    commands: 0,
    scenarios: 0,
    runs: 0,
    routes: { total: 0, covered: 0, failing: 0, untested: 0 },
  },
  stories: {
    total: 5,
    items: [
      {
        id: 'US-12',
        kind: 'story',
        title: 'Pay by card',
        priority: 'high',
        status: 'failing',
        openIssues: 1,
        why: ['What verifies it failed: the command unit.'],
      },
    ],
  },
  commands: { total: 0, items: [] },
  scenarios: { total: 0, items: [] },
  plans: [],
  runs: [],
  blockers: { total: 0, items: [] },
  reported: { total: 0, numbers: [] },
  candidates: [
    {
      operation: 'POST /agent/plan',
      action: 'plan_failures',
      why: 'Stories that fail: 1. Run what failed of late again.',
      body: { strategy: 'failures' },
    },
    {
      operation: 'GET /srs-workflow/:id',
      action: 'read_workflow',
      why: 'US-12 needs work most: where it stands, and what comes next.',
      path: '/api/srs-workflow/US-12',
    },
  ],
};

const CALLER = {
  tokenId: 'tok_01k2z3a4b5c6d7e8f9g0h1j2k3',
  label: 'lab',
  capabilities: new Set(['agent:execute'] as const),
  readOnly: false,
};

const EXAMPLE = buildHandoff(FACTS, CALLER, DEFAULT_LIMITS);

export const HANDOFF_DOCS: OperationDocs = {
  description:
    'All that a program needs which has never seen the project: who it is and what it may call, the project and how its ' +
    'stories stand, commands, scenarios, plans, the last runs, open blockers, what to do next with requests that can be ' +
    'sent as they are, sequences of requests, conventions and limits. It holds no secret and no time of its own: two ' +
    'handoffs of the same state to the same caller are equal, byte for byte. `format=markdown` says the same for reading.',
  replies: {
    200: {
      description: 'The handoff',
      example: EXAMPLE,
      alsoAs: { 'text/markdown': handoffMarkdown(EXAMPLE) },
      headers: ['ETag'],
    },
  },
};
