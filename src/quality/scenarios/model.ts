// What a scenario is, and the shapes in which scenarios come, which are also in the API document.

import { hash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import type { Actor } from '../../access/caller.ts';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import { closed, Name, nullable, oneOf, StoryIds, Title } from '../../model/schemas.ts';
import type { ScenarioStep } from '../../store/tables/json.ts';
import { ROUTE_PATTERN, ROUTE_SAYS } from '../routes/route-text.ts';

export type { ScenarioStep } from '../../store/tables/json.ts';

export const SCENARIO_STATES = ['active', 'archived'] as const;
export const SHOWN_STATES = [...SCENARIO_STATES, 'absorbed'] as const;
export type ScenarioState = (typeof SHOWN_STATES)[number];

export const SCENARIO_ORIGINS = ['source', 'stored'] as const;

export interface Scenario {
  id: string;
  key: string;
  feature: string | null;
  title: string;
  steps: readonly ScenarioStep[];
  /**
   * The rows of an outline's tables; a heading is a row, once for tables in a row that share it, and
   * after an empty row where it changes.
   */
  examples: readonly (readonly string[])[];
  storyIds: readonly string[];
  /** Routes that it declares, as `GET /orders/{id}`. */
  routes: readonly string[];
  tags: readonly string[];
  state: ScenarioState;
  origin: (typeof SCENARIO_ORIGINS)[number];
  /** Where in the sources it stands; null for a stored one. */
  source: { path: string; line: number } | null;
  /** Of its steps and examples. */
  fingerprint: string;
  /** Null for one of the sources. */
  author: Actor | null;
  /** Of one of the sources, the number of its revision. */
  version: number;
  /** Milliseconds since the epoch; of one of the sources, when its revision came. */
  createdAt: number;
  updatedAt: number;
}

const MAX_KEY = 1000;
const MAX_STEPS = 1000;
const MAX_ROWS = 1000;

const Keyword = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'As it is written: `Given`, `When`, `*`',
});

const StepInput = closed({
  keyword: Keyword,
  text: Type.String({
    minLength: 1,
    maxLength: 65_536,
    description: 'With its table or text below it',
  }),
});

const given = {
  feature: Type.Optional(nullable(Name)),
  title: Type.Optional(Title),
  examples: Type.Optional(
    Type.Array(Type.Array(Type.String({ maxLength: 8192 }), { maxItems: 100 }), {
      maxItems: MAX_ROWS,
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
  state: Type.Optional(
    oneOf(SCENARIO_STATES, '`archived`: kept, and of no account; `active` by default'),
  ),
};

export const ScenarioBody = closed(
  {
    key: Type.String({
      minLength: 1,
      maxLength: MAX_KEY,
      pattern: '^[^\\s\\x00-\\x1f\\x7f](?:[^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f])?$',
      says: 'must be a text of 1 to 1000 characters on one line, without white space at its ends',
      description:
        'What it is known by; of a Gherkin scenario its feature, rule and title, ` / ` between',
    }),
    steps: Type.Array(StepInput, { minItems: 1, maxItems: MAX_STEPS }),
    ...given,
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
  key: Type.Optional(
    Type.String({ description: 'One scenario, bare: that of the sources where they have it' }),
  ),
  state: Type.Optional(Type.Array(oneOf(SHOWN_STATES))),
  origin: Type.Optional(Type.Array(oneOf(SCENARIO_ORIGINS))),
  tags: Type.Optional(
    Type.Array(Type.String(), { description: 'Only those with one of these tags' }),
  ),
  storyIds: Type.Optional(
    Type.Array(Type.String(), { description: 'Only those that name one of these stories' }),
  ),
  routes: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Only those that declare one of these routes, as `GET /orders/{id}`',
    }),
  ),
  feature: Type.Optional(Type.Array(Type.String())),
  source: Type.Optional(
    Type.Array(Type.String(), { description: 'Only those of one of these source files' }),
  ),
});
export type ScenarioFilters = Static<typeof ScenarioQuery>;

export const MAX_SCENARIOS = 1000;

export const MAX_CONTENT = 16 * 1024 * 1024;

/** SHA-256 over a scenario's steps and examples, `s1:` before it. */
export function scenarioFingerprint({
  steps,
  examples,
}: {
  steps: readonly { keyword: string; text: string }[];
  examples: readonly (readonly string[])[];
}): string {
  // The keys in the order of RFC 8785; of strings and arrays JSON.stringify is canonical.
  const said = steps.map(({ keyword, text }) => ({ keyword: keyword.trim(), text: text.trim() }));
  return `s1:${hash('sha256', JSON.stringify({ examples, steps: said }), 'hex')}`;
}
