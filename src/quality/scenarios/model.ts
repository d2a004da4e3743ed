// What a scenario is: the shapes in which scenarios come and are shown.
import { hash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import {
  Actor,
  closed,
  idOf,
  lineOf,
  Name,
  nullable,
  oneOf,
  pageSchema,
  StoryIds,
  Title,
  timeOf,
  Version,
} from '../../model/schemas.ts';
import { ROUTE_PATTERN, ROUTE_SAYS } from '../routes/route-text.ts';

const STATES = ['active', 'archived'] as const;
const SHOWN_STATES = [...STATES, 'absorbed'] as const;
const ORIGINS = ['source', 'stored'] as const;
const OUTCOMES = ['created', 'updated', 'unchanged'] as const;

export const MAX_SCENARIOS = 1000;

const Texts = (description: string) => Type.Array(Type.String(), { description });
const AnyOf = (description: string) =>
  Type.Optional(Type.Array(Type.String(), { description: `Only those ${description}` }));
const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const SourcePlace = Type.Object(
  { path: Type.String(), line: Count('From 1') },
  { title: 'SourcePlace' },
);

export const Scenario = Type.Object(
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
    origin: oneOf(ORIGINS, 'Whether the sources have it or it was written here'),
    source: nullable(SourcePlace),
    fingerprint: Type.String({ description: 'Of its steps and examples' }),
    author: nullable(Actor),
    createdAt: timeOf('When it was written; when the revision came that it is of'),
    updatedAt: timeOf('When it was last changed; when the revision came that it is of'),
    version: Version,
  },
  { title: 'Scenario', description: 'An example of what a story means, in steps' },
);
export type Scenario = Static<typeof Scenario>;

export const ScenarioPage = pageSchema('ScenarioPage', Scenario);

const GherkinFinding = Type.Object(
  {
    code: Type.String({ description: 'As in the audit of the sources' }),
    line: Count('0 where it concerns the whole text'),
    detail: Type.String(),
  },
  { title: 'GherkinFinding' },
);
export type GherkinFinding = Static<typeof GherkinFinding>;

export const ScenariosWritten = Type.Object(
  {
    items: Type.Array(Type.Object({ outcome: oneOf(OUTCOMES), scenario: Scenario }), {
      description: 'What became of each, in the order sent',
    }),
    unknownStoryIds: Texts('Named ids that are no story of the project; they are kept'),
    findings: Type.Array(GherkinFinding, {
      description:
        'What a Gherkin text says that is not kept, as descriptions, or not as it may seem; empty for JSON',
    }),
  },
  { title: 'ScenariosWritten' },
);
export type ScenariosWritten = Static<typeof ScenariosWritten>;

export const ScenarioBody = closed(
  {
    title: Type.Optional(Title),
    key: lineOf(
      1000,
      'What it is known by; of a Gherkin scenario its feature, rule and title, ` / ` between',
    ),
    steps: Type.Array(
      closed({
        keyword: Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'As it is written: `Given`, `When`, `*`',
        }),
        text: Type.String({ minLength: 1, maxLength: 65_536 }),
      }),
      { minItems: 1, maxItems: 1000 },
    ),
    feature: Type.Optional(nullable(Name)),
    examples: Type.Optional(
      Type.Array(Type.Array(Type.String({ maxLength: 8192 }), { maxItems: 100 }), {
        maxItems: 1000,
        description:
          "The rows of an outline's table, the heading first; an empty row stands before the heading " +
          'of a table that has other columns',
      }),
    ),
    storyIds: Type.Optional(StoryIds),
    routes: Type.Optional(
      Type.Array(Type.String({ pattern: ROUTE_PATTERN, maxLength: 2048, says: ROUTE_SAYS }), {
        maxItems: 100,
        description: 'Routes that it is about, as `GET /orders/{id}`',
      }),
    ),
    // One of them may be the id of a story.
    tags: Type.Optional(StoryIds),
    state: Type.Optional(oneOf(STATES, '`archived`: kept, and of no account; `active` by default')),
  },
  {
    title: 'ScenarioInput',
    description:
      'A scenario; of one whose key is known, fields that are not given stay as they are',
  },
);
export type ScenarioInput = Static<typeof ScenarioBody>;

export const ScenarioQuery = closed({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE })),
  cursor: Type.Optional(Type.String({ maxLength: 300 })),
  id: Type.Optional(Type.String({ description: 'One scenario, bare' })),
  key: Type.Optional(Type.Array(Type.String())),
  state: Type.Optional(Type.Array(oneOf(SHOWN_STATES))),
  origin: Type.Optional(Type.Array(oneOf(ORIGINS))),
  tags: AnyOf('with one of these tags'),
  storyIds: AnyOf('that name one of these stories'),
  routes: AnyOf('that declare one of these routes, as `GET /orders/{id}`'),
  feature: Type.Optional(Type.Array(Type.String())),
  source: AnyOf('of one of these source files'),
});
export type ScenarioFilters = Static<typeof ScenarioQuery>;

/** SHA-256 over a scenario's steps and examples, `s1:` before it. */
export function scenarioFingerprint({ steps, examples }: Pick<Scenario, 'steps' | 'examples'>) {
  // The keys in the order of RFC 8785; of strings and arrays JSON.stringify is canonical.
  const said = steps.map(({ keyword, text }) => ({ keyword: keyword.trim(), text: text.trim() }));
  return `s1:${hash('sha256', JSON.stringify({ examples, steps: said }), 'hex')}`;
}
