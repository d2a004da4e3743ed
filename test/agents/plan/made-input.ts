// Commands, stories and requests for tests of the planner, made of a few words or at random.
import fc from 'fast-check';
import type {
  PlanCommand,
  PlanInput,
  PlanRequest,
  PlanStory,
} from '../../../src/agents/plan/model.ts';
import { STRATEGIES } from '../../../src/agents/plan/model.ts';
import { COVERAGE_STATUSES } from '../../../src/assurance/coverage/model.ts';
import { COMMAND_STATES } from '../../../src/quality/commands/model.ts';

type CommandWords = Partial<Omit<PlanCommand, 'history'>> & {
  outcomes?: string;
  lastOrdinal?: number | null;
};

/** A command that is its key, passed four times and takes a second. */
export function command(key: string, words: CommandWords = {}): PlanCommand {
  const { outcomes = 'pppp', lastOrdinal = outcomes === '' ? null : 1, ...over } = words;
  return {
    id: `cmd_${key}`,
    key,
    storyIds: [],
    routes: [],
    tags: [],
    estimateMs: 1000,
    state: 'active',
    changedSince: false,
    history: { outcomes, lastOrdinal },
    ...over,
  };
}

/** A story that passes. */
export function story(id: string, over: Partial<PlanStory> = {}): PlanStory {
  return {
    id,
    priority: 0.5,
    openIssues: [],
    status: 'passing',
    inherited: false,
    changed: false,
    ...over,
  };
}

export function input(
  commands: readonly PlanCommand[],
  stories: readonly PlanStory[] = [],
  request: Partial<PlanRequest> = {},
  ordinal = 4,
): PlanInput {
  return { commands, stories, ordinal, request: { strategy: 'full', ...request } };
}

const STORY_IDS = ['S1', 'S2', 'S3', 'S4', 'S5'];
const anyStoryId = fc.constantFrom(...STORY_IDS, 'gone');

const anyStory = (id: string): fc.Arbitrary<PlanStory> =>
  fc.record({
    id: fc.constant(id),
    priority: fc.constantFrom(1, 0.8, 0.5, 0.3),
    openIssues: fc.subarray(['iss_1', 'iss_2', 'iss_3']),
    status: fc.constantFrom(...COVERAGE_STATUSES),
    inherited: fc.boolean(),
    changed: fc.boolean(),
  });

const anyCommand = (key: string): fc.Arbitrary<PlanCommand> =>
  fc.record({
    id: fc.constant(`cmd_${key}`),
    key: fc.constant(key),
    storyIds: fc.uniqueArray(anyStoryId, { maxLength: 3 }),
    routes: fc.subarray(['GET /a', 'POST /a/{id}', '/b']),
    tags: fc.subarray(['smoke', 'slow']),
    estimateMs: fc.option(fc.integer({ min: 0, max: 5000 })),
    state: fc.constantFrom(...COMMAND_STATES, 'active', 'active'),
    changedSince: fc.boolean(),
    history: fc.oneof(
      fc.constant({ outcomes: '', lastOrdinal: null }),
      fc.record({
        outcomes: fc.string({ unit: fc.constantFrom(...'pfbsPF'), minLength: 1, maxLength: 50 }),
        lastOrdinal: fc.integer({ min: 1, max: 60 }),
      }),
    ),
  });

const anyRequest: fc.Arbitrary<PlanRequest> = fc.record({
  strategy: fc.constantFrom(...STRATEGIES),
  budgetMs: fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined }),
  maxItems: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  storyIds: fc.option(fc.uniqueArray(anyStoryId, { minLength: 1, maxLength: 3 }), {
    nil: undefined,
  }),
  routes: fc.option(fc.constant(['GET /a', '/a/:key']), { nil: undefined }),
  tags: fc.option(fc.constant(['smoke']), { nil: undefined }),
});

/** Anything that there may be to plan. */
export const anyInput: fc.Arbitrary<PlanInput> = fc.record({
  commands: fc
    .integer({ min: 0, max: 30 })
    .chain((count) =>
      fc.tuple(...Array.from({ length: count }, (_, at) => anyCommand(`c${at % 7}-${at}`))),
    ),
  stories: fc.tuple(...STORY_IDS.map(anyStory)),
  ordinal: fc.integer({ min: 60, max: 200 }),
  request: anyRequest,
});
