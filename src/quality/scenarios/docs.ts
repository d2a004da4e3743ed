// What the API document says of the scenarios.
import { Type } from '@sinclair/typebox';
import { Actor, idOf, pageSchema, timeOf, Version } from '../../model/answer-schemas.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import { MAX_SCENARIOS, SCENARIO_ORIGINS, SHOWN_STATES } from './model.ts';
import { OUTCOMES } from './write.ts';

const Texts = (description: string) => Type.Array(Type.String(), { description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** Where in the sources something stands. */
export const SourcePlace = Type.Object(
  { path: Type.String(), line: Type.Integer({ minimum: 0, description: 'From 1' }) },
  { title: 'SourcePlace' },
);

export const ScenarioSchema = Type.Object(
  {
    id: idOf('scenario'),
    key: Type.String({ description: 'What it is known by, and what traces name' }),
    feature: nullable(Type.String()),
    title: Type.String(),
    steps: Type.Array(
      Type.Object({
        keyword: Type.String({ description: 'As it is written' }),
        text: Type.String({ description: 'With its table or text below it' }),
      }),
    ),
    examples: Type.Array(Type.Array(Type.String()), {
      description:
        "The rows of an outline's tables, one below the other: a heading is a row, and stands once " +
        'where tables that follow each other have the same columns, in whatever order; an empty row ' +
        'stands before one with other columns',
    }),
    storyIds: Texts('Stories that it shows'),
    routes: Texts('Routes that it declares, as `GET /orders/{id}`'),
    tags: Texts('Without `@`'),
    state: oneOf(
      SHOWN_STATES,
      '`archived`: kept, and of no account; `absorbed`: a source has its key, and counts instead',
    ),
    origin: oneOf(SCENARIO_ORIGINS, 'Whether the sources have it or it was written here'),
    source: nullable(SourcePlace),
    fingerprint: Type.String({ description: 'Of its steps and examples' }),
    author: nullable(Actor),
    createdAt: timeOf('When it was written; when the revision came that it is of'),
    updatedAt: timeOf('When it was last changed; when the revision came that it is of'),
    version: Version,
  },
  { title: 'Scenario', description: 'An example of what a story means, in steps' },
);

export const ScenarioPage = pageSchema('ScenarioPage', ScenarioSchema);

const GherkinFinding = Type.Object(
  {
    code: Type.String({ description: 'As in the audit of the sources' }),
    line: Type.Integer({ minimum: 0, description: '0 where it concerns the whole text' }),
    detail: Type.String(),
  },
  { title: 'GherkinFinding' },
);

export const WrittenSchema = Type.Object(
  {
    items: Type.Array(Type.Object({ outcome: oneOf(OUTCOMES), scenario: ScenarioSchema }), {
      description: 'What became of each, in the order sent',
    }),
    created: Count('Scenarios that are new'),
    updated: Count('Scenarios that were changed'),
    unchanged: Count('Scenarios that said the same already'),
    unknownStoryIds: Texts('Named ids that are no story of the project; they are kept'),
    findings: Type.Array(GherkinFinding, {
      description:
        'What a Gherkin text says that is not kept, as descriptions, or not as it may seem; empty for JSON',
    }),
  },
  { title: 'ScenariosWritten' },
);

const WRITTEN = {
  key: 'Checkout / Paying by invoice',
  feature: 'Checkout',
  title: 'Paying by invoice',
  steps: [
    { keyword: 'Given', text: 'a basket with two books' },
    { keyword: 'When', text: 'the customer pays by invoice' },
    { keyword: 'Then', text: 'the order is open until the invoice is paid' },
  ],
  storyIds: ['US-12'],
  routes: ['POST /orders'],
  tags: ['payment'],
};

export const SCENARIO_EXAMPLE = {
  id: 'scn_01k4mz7e2tq8v5x0y3w6r9n1pc',
  ...WRITTEN,
  examples: [],
  state: 'active',
  origin: 'stored',
  source: null,
  fingerprint: 's1:5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef',
  author: { tokenId: 'tok_01k2z3a4b5c6d7e8f9g0h1j2k3', label: 'Requirements' },
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  version: 1,
};

const GHERKIN = `Feature: Checkout

  @US-12 @payment
  Scenario: Paying by invoice
    Given a basket with two books
    When the customer pays by invoice
    Then the order is open until the invoice is paid
`;

const ANSWER = {
  items: [{ outcome: 'created', scenario: SCENARIO_EXAMPLE }],
  created: 1,
  updated: 0,
  unchanged: 0,
  unknownStoryIds: [],
  findings: [],
};

export const SCENARIO_DOCS = {
  read: {
    description:
      'The scenarios of the project: first those of the Gherkin files of the latest revision, in source order, then those ' +
      'that were written here, the newest last. `id` or `key` answers one bare. The id of a scenario of the sources ' +
      'follows from its key, so it stays while its titles do; its `version` is the number of the revision. A scenario ' +
      'that was written here and whose key a later revision brings is `absorbed` for as long as the sources have it.',
    replies: {
      200: {
        description: 'A page of scenarios, or one scenario',
        examples: {
          page: { items: [SCENARIO_EXAMPLE], nextCursor: null },
          scenario: SCENARIO_EXAMPLE,
        },
        headers: ['ETag', 'Link'],
      },
    },
  },
  write: {
    description:
      `Writes a scenario, a list of up to ${MAX_SCENARIOS}, or a feature as Gherkin text with as many: all of them, or ` +
      'none. One with a new key is added, one with a known key is changed; fields that are not given stay as they are. ' +
      'Of Gherkin, key and tags are made as in a source: the key of feature, rule and title, and tags that look like ids ' +
      'are story ids; `@GET:/orders/{id}` declares a route. Text that cannot be read is `422`, and `errors` name the ' +
      'lines; what else of it is not kept, as descriptions, is in `findings`. Ids that are no story of the project ' +
      'are kept, and listed in `unknownStoryIds`. The key of a scenario of the sources is `409`, with its file and line, ' +
      'unless it says the same: it is changed in its source.',
    parameters: [
      {
        name: 'If-None-Match',
        in: 'header',
        description: '`*` where scenarios are only to be added: `412` if one has a key of theirs',
        schema: { type: 'string', enum: ['*'] },
      },
    ],
    problems: ['precondition_failed'],
    bodyExample: WRITTEN,
    bodyExamples: { 'text/x-gherkin': GHERKIN },
    replies: {
      200: {
        description: 'None of them was new',
        example: {
          ...ANSWER,
          items: [{ outcome: 'unchanged', scenario: SCENARIO_EXAMPLE }],
          created: 0,
          unchanged: 1,
        },
        headers: ['ETag'],
      },
      201: {
        description: 'What became of each; the entity tag is that of a single one',
        example: ANSWER,
        headers: ['ETag'],
      },
    },
  },
} satisfies Record<string, OperationDocs>;
