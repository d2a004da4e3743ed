// What the API document says of the scenarios.
import type { OperationDocs } from '../../model/docs.ts';
import { MAX_SCENARIOS } from './model.ts';

const WRITTEN = {
  key: 'Checkout / Paying by invoice',
  feature: 'Checkout',
  title: 'Paying by invoice',
  steps: [{ keyword: 'When', text: 'the customer pays by invoice' }],
  storyIds: ['US-12'],
  routes: ['POST /orders'],
  tags: ['payment'],
};

const EXAMPLE = {
  id: 'scn_01k4mz7e2tq8v5x0y3w6r9n1pc',
  ...WRITTEN,
  examples: [],
  state: 'active',
  origin: 'stored',
  source: null,
  fingerprint: 's1:5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef',
  author: null,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  version: 1,
};

const ANSWER = {
  items: [{ outcome: 'created', scenario: EXAMPLE }],
  created: 1,
  updated: 0,
  unchanged: 0,
  unknownStoryIds: [],
  findings: [],
};

export const SCENARIO_DOCS = {
  read: {
    description:
      'First the scenarios of the Gherkin files of the latest revision, in source order, then those that were written ' +
      'here, the newest last; `id` or `key` answers one bare. The id of a scenario of the sources follows from its key, ' +
      'its `version` is the number of the revision.',
    replies: {
      200: {
        description: 'A page of scenarios, or one scenario',
        example: { items: [EXAMPLE], nextCursor: null },
        headers: ['ETag', 'Link'],
      },
    },
  },
  write: {
    description:
      `Writes a scenario, a list of up to ${MAX_SCENARIOS}, or a feature as Gherkin text with as many, by their keys: all ` +
      'of them or none. Gherkin is read as a source is (`@GET:/orders/{id}` declares a route); text that cannot be read is ' +
      '`422` with its lines. The key of a scenario of the sources is `409`, unless it says the same: it is changed there.',
    bodyExample: WRITTEN,
    bodyExamples: {
      'text/x-gherkin':
        'Feature: Checkout\n\n  @US-12 @payment\n  Scenario: Paying by invoice\n    When the customer pays by invoice\n',
    },
    replies: {
      200: { description: 'None of them was new', example: ANSWER, headers: ['ETag'] },
      201: {
        description: 'What became of each; the entity tag is that of a single one',
        example: ANSWER,
        headers: ['ETag'],
      },
    },
  },
} satisfies Record<string, OperationDocs>;
