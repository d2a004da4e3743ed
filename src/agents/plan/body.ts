// What callers send for a plan.
import { type Static, Type } from '@sinclair/typebox';
import { closed, Name, oneOf, StoryId } from '../../model/schemas.ts';
import { invalidFields } from '../../model/validate.ts';
import { STRATEGIES } from './model.ts';

const MAX_ITEMS = 100_000;
const optional = Type.Optional;

const Wanted = (name: typeof Name, description: string, maxItems: number) =>
  Type.Array(name, { minItems: 1, maxItems, description });

const Routes = Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), {
  minItems: 1,
  maxItems: 100,
  description:
    'Only commands that exercise one of these, as `POST /orders/{id}`, or the path alone for any method',
});

const Item = closed({
  commandId: Name,
  storyIds: optional(
    Type.Array(StoryId, {
      maxItems: MAX_ITEMS,
      description: 'What it is to cover; the stories of its command by default',
    }),
  ),
});

export const PlanBody = closed(
  {
    strategy: optional(oneOf(STRATEGIES, '`full` by default')),
    budgetMs: optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The most that its items may take together, by their estimates',
      }),
    ),
    maxItems: optional(Type.Integer({ minimum: 1, maximum: MAX_ITEMS })),
    sinceRevision: optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Stories that differ from what they said at this revision are changed',
      }),
    ),
    storyIds: optional(Wanted(StoryId, 'Only commands that verify one of these', MAX_ITEMS)),
    routes: optional(Routes),
    tags: optional(Wanted(Name, 'Only commands that have one of these', 100)),
    evaluate: optional(
      Type.Boolean({ description: "Adds what this order would have found on the project's past" }),
    ),
    plan: optional(
      closed(
        { items: Type.Array(Item, { minItems: 1, maxItems: MAX_ITEMS }) },
        { description: 'A plan that the caller has made; goes without the others' },
      ),
    ),
  },
  { title: 'PlanInput' },
);
export type PlanInputBody = Static<typeof PlanBody>;

/** @throws Problem `invalid` where a plan is submitted and asked for at once */
export function requireOneInput({ plan, ...others }: PlanInputBody): void {
  const named = Object.keys(others);
  if (plan === undefined || named.length === 0) return;
  throw invalidFields(
    named.map((name) => ({ pointer: `/${name}`, detail: 'does not go with plan' })),
  );
}
