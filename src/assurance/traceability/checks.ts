// Whether the changes of a request can be made: checked before the first of them is.
import { and, eq, inArray } from 'drizzle-orm';
import { type FieldError, Problem } from '../../errors.ts';
import { invalidFields } from '../../model/validate.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import type { Db } from '../../store/database.ts';
import { justifications, traces } from '../../store/tables/assurance.ts';
import { issues } from '../../store/tables/evidence.ts';
import type { AssuranceState } from '../state/state.ts';
import { chunksOf } from '../state/state.ts';
import { MAX_CHANGES, type Reviewed, type TraceabilityInput } from './model.ts';

const MAX_ERRORS = 50;
const NO_STORY = 'is not a story of this project';

/** @throws Problem `invalid` that points at every entry that cannot be; `conflict`, see `review` */
export async function requireChanges(
  db: Db,
  state: AssuranceState,
  input: TraceabilityInput,
): Promise<void> {
  requireCount(input);
  const errors = [
    ...(await errorsOfAdd(db, state, input)),
    ...errorsOfRepeats(state, input),
    ...(await errorsOfIds(db, state, input)),
    ...(await errorsOfJustify(db, state, input)),
  ];
  if (errors.length > 0) throw invalidFields(errors.slice(0, MAX_ERRORS));
  await requireSeen(db, state, input);
}

export function reviewedId(input: string | Reviewed): string {
  return typeof input === 'string' ? input : input.id;
}

/** @throws Problem `conflict` where a story says something else than what was looked at */
async function requireSeen(
  db: Db,
  { effective }: AssuranceState,
  { review = [] }: TraceabilityInput,
): Promise<void> {
  const seen = review.flatMap((one, at) => (typeof one === 'string' ? [] : [{ ...one, at }]));
  if (seen.length === 0) return;
  const stories = await storiesOf(
    db,
    effective.projectId,
    seen.map(({ id }) => id),
  );
  const errors = seen.flatMap(({ id, fingerprint, at }) => {
    const storyId = stories.get(id) ?? '';
    if (effective.under(storyId, fingerprint) === fingerprint) return [];
    const detail = `is not that of ${storyId} as it is now`;
    return [{ pointer: `/review/${at}/fingerprint`, detail }];
  });
  const [first] = errors;
  if (!first) return;
  throw new Problem('conflict', `${first.pointer}: ${first.detail}`, {
    errors: errors.slice(0, MAX_ERRORS),
  });
}

async function storiesOf(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const stories = new Map<string, string>();
  for (const some of chunksOf(ids)) {
    const rows = await db
      .select({ id: traces.id, storyId: traces.storyId })
      .from(traces)
      .where(and(eq(traces.projectId, projectId), inArray(traces.id, some)));
    for (const { id, storyId } of rows) stories.set(id, storyId);
  }
  return stories;
}

function requireCount(input: TraceabilityInput): void {
  const changes = Object.values(input).reduce((sum, list) => sum + list.length, 0);
  if (changes === 0)
    throw invalidFields([
      { pointer: '', detail: 'asks for no change: add, remove, review or justify' },
    ]);
  if (changes > MAX_CHANGES)
    throw invalidFields([
      { pointer: '', detail: `holds ${changes} changes; at most ${MAX_CHANGES} go together` },
    ]);
}

function isStory({ effective }: AssuranceState, id: string): boolean {
  const node = effective.node(id);
  return node !== undefined && isNormative(node);
}

async function errorsOfAdd(
  db: Db,
  state: AssuranceState,
  { add = [] }: TraceabilityInput,
): Promise<FieldError[]> {
  const named = add.flatMap(({ target }) => (target.kind === 'issue' ? [target.id] : []));
  const found = new Set<string>();
  for (const some of chunksOf(named)) {
    const rows = await db
      .select({ id: issues.id })
      .from(issues)
      .where(and(eq(issues.projectId, state.effective.projectId), inArray(issues.id, some)));
    for (const { id } of rows) found.add(id);
  }
  return add.flatMap(({ storyId, target }, at) => [
    ...(isStory(state, storyId) ? [] : [{ pointer: `/add/${at}/storyId`, detail: NO_STORY }]),
    ...(target.kind !== 'issue' || found.has(target.id)
      ? []
      : [{ pointer: `/add/${at}/target/id`, detail: 'is not an issue of this project' }]),
  ]);
}

function errorsOfRepeats(
  { commands }: AssuranceState,
  { add = [] }: TraceabilityInput,
): FieldError[] {
  const first = new Map<string, { at: number; note: string | null }>();
  return add.flatMap(({ storyId, type, target, note = null }, at) => {
    const command = target.kind === 'command' ? commands.find(target.id) : undefined;
    const key = JSON.stringify([storyId, type, target.kind, command?.id ?? target.id]);
    const same = first.get(key);
    if (!same) first.set(key, { at, note });
    if (!same || same.note === note) return [];
    const detail = `is the link of /add/${same.at} again, with another note`;
    return [{ pointer: `/add/${at}`, detail }];
  });
}

async function errorsOfIds(
  db: Db,
  state: AssuranceState,
  { remove = [], review = [] }: TraceabilityInput,
): Promise<FieldError[]> {
  const ids = [...remove, ...review.map(reviewedId)];
  const stories = await storiesOf(db, state.effective.projectId, ids);
  const gone = new Set(remove);
  const unknown = { detail: 'is not a trace of this project' };
  return [
    ...remove.flatMap((id, at) =>
      stories.has(id) ? [] : [{ pointer: `/remove/${at}`, ...unknown }],
    ),
    ...review.flatMap((one, at) => {
      const id = reviewedId(one);
      const pointer = typeof one === 'string' ? `/review/${at}` : `/review/${at}/id`;
      const storyId = stories.get(id);
      if (storyId === undefined) return [{ pointer, ...unknown }];
      if (gone.has(id)) return [{ pointer, detail: 'is to be removed as well' }];
      return isStory(state, storyId)
        ? []
        : [{ pointer, detail: `is a trace of ${storyId}, which is gone` }];
    }),
  ];
}

async function errorsOfJustify(
  db: Db,
  state: AssuranceState,
  { justify = [] }: TraceabilityInput,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [at, { storyId, need, reason }] of justify.entries()) {
    const key = `${need} ${storyId}`;
    if (seen.has(key))
      errors.push({
        pointer: `/justify/${at}`,
        detail: 'is the same need of the same story again',
      });
    seen.add(key);
    if (isStory(state, storyId)) continue;
    // Of a story that is gone, a justification can still be taken back.
    if (reason === null && (await hasJustification(db, state, storyId))) continue;
    errors.push({ pointer: `/justify/${at}/storyId`, detail: NO_STORY });
  }
  return errors;
}

async function hasJustification(
  db: Db,
  { effective: { projectId } }: AssuranceState,
  storyId: string,
): Promise<boolean> {
  const rows = await db
    .select({ need: justifications.need })
    .from(justifications)
    .where(and(eq(justifications.projectId, projectId), eq(justifications.storyId, storyId)))
    .limit(1);
  return rows.length > 0;
}
