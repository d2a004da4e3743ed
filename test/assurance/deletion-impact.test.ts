// What a refused deletion says of verdicts and links, against what becomes of them when it is done.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Instance, openInstance } from '../support/instance.ts';

let instance: Instance;
beforeAll(async () => {
  instance = await openInstance();
});
afterAll(() => instance.close());

type Link = [from: string, to: string, type: 'depends' | 'refines' | 'relates'];
/** The sources: titles by the ids of stories, and links, which may point at nothing. */
interface Sources {
  titles: Record<string, string>;
  links?: readonly Link[];
}
type Step =
  | { sources: Sources }
  | { add: string; title: string; to?: string; parentId?: string }
  | { edit: string; title: string }
  | { judge: string }
  | { link: string }
  | { normative: readonly string[] };

interface Impact {
  stories: { id: string; distance: number }[];
  traces: { id: string; becomes: string }[];
  validations: { storyId: string; becomes: string }[];
}

let projects = 0;

/** A project to which all of this was done, as far as it could be. */
async function projectAfter(steps: readonly Step[]) {
  projects += 1;
  const slug = `p${projects}`;
  const { token } = await instance.makeProject(slug);
  const send = async (method: string, path: string, body?: object) => {
    const init = body ? { body: JSON.stringify(body), headers: JSON_BODY } : {};
    const answer = await instance.fetch(`/api${path}`, { method, token, ...init });
    expect(answer.status).toBeLessThan(500);
    return { status: answer.status, text: await answer.text() };
  };
  const added = new Map<string, string>();
  for (const step of steps) {
    if ('sources' in step) {
      const content = JSON.stringify(documentOf(step.sources));
      const sources = [{ path: 'a.json', content, format: 'srs-json' }];
      await send('POST', '/projects', { slug, sources, confirm: true });
    } else if ('add' in step) {
      const { add: storyId, title, to, parentId } = step;
      const links = to === undefined ? [] : [{ type: 'depends', to }];
      const input = { storyId, title, ...ALIKE, links, parentId: parentId ?? null };
      const { status, text } = await send('POST', '/story-additions', input);
      if (status === 201) added.set(storyId, (JSON.parse(text) as { id: string }).id);
    } else if ('edit' in step) {
      const { edit: storyId, title } = step;
      await send('POST', '/story-edits', { storyId, set: { title } });
    } else if ('judge' in step) {
      const results = [{ storyId: step.judge, verdict: 'passed' }];
      await send('POST', '/validation-transfer', { mode: 'record', results });
    } else if ('link' in step) {
      const target = { kind: 'file', id: 'a.ts' };
      const add = [{ storyId: step.link, type: 'implements', target }];
      await send('POST', '/project-traceability', { add });
    } else {
      await send('POST', '/projects', { slug, settings: { normative: step.normative } });
    }
  }
  return { send, added };
}

const JSON_BODY = { 'content-type': 'application/json' };
const ALIKE = { statement: 'x', acceptance: ['x'] };

function documentOf({ titles, links = [] }: Sources) {
  return {
    ...{ format: 'pqrs-srs', version: 1 },
    nodes: Object.entries(titles).map(([id, title]) => ({ id, kind: 'story', title, ...ALIKE })),
    edges: links.map(([from, to, type]) => ({ from, to, type })),
  };
}

type Project = Awaited<ReturnType<typeof projectAfter>>;

/** How all verdicts and links stand. */
async function standing({ send }: Project) {
  const read = async <T>(path: string) =>
    (JSON.parse((await send('GET', path)).text) as { items: T[] }).items;
  const verdicts = await read<{ storyId: string; disposition: string }>('/validation-transfer');
  const traces = await read<{ id: string; storyId: string; state: string }>(
    '/project-traceability?view=traces',
  );
  return {
    verdicts: new Map(verdicts.map((one) => [one.storyId, one.disposition])),
    traces: new Map(traces.map((one) => [one.id, one.state])),
    storyOf: new Map(traces.map((one) => [one.id, one.storyId])),
  };
}

const BAD: ReadonlySet<string> = new Set(['invalidated', 'suspect', 'orphaned']);
const GONE: ReadonlySet<string> = new Set(['renamed', 'ambiguous', 'orphaned']);

/** Holds what a refusal tells against what becomes of all; undefined where nothing refuses. */
async function compared(project: Project, storyId: string) {
  const path = `/story-additions?id=${project.added.get(storyId)}`;
  const was = await standing(project);
  const refused = await project.send('DELETE', path);
  if (refused.status !== 409) return undefined;
  const { impact } = JSON.parse(refused.text) as { impact?: Impact };
  // The sources hold it by now.
  if (!impact) return undefined;
  expect((await project.send('DELETE', `${path}&cascade=true`)).status).toBe(204);
  const is = await standing(project);
  // Of stories that are gone another one may have the text.
  const isThere = (id: string) => id !== storyId && !GONE.has(was.verdicts.get(id) ?? '');
  const verdicts = [...is.verdicts].filter(
    ([id, becomes]) => BAD.has(becomes) && becomes !== was.verdicts.get(id) && isThere(id),
  );
  const traces = [...was.traces].flatMap(([id, state]) => {
    const becomes = is.traces.get(id) ?? 'broken';
    return state === 'valid' && becomes !== 'valid' ? [[id, becomes]] : [];
  });
  const lines = (list: readonly (readonly unknown[])[]) => list.map((one) => one.join(' ')).sort();
  const said = impact.validations.map((one) => [one.storyId, one.becomes]);
  expect(lines(said.filter(([id]) => isThere(id ?? '')))).toEqual(lines(verdicts));
  expect(lines(impact.traces.map(({ id, becomes }) => [id, becomes]))).toEqual(lines(traces));
  return {
    verdicts: lines(said),
    traces: lines(impact.traces.map(({ id, becomes }) => [was.storyOf.get(id), becomes])),
    stories: impact.stories.map(({ id, distance }) => `${id} ${distance}`),
  };
}

const text = fc.constantFrom('x', 'y');
const canonical = fc.constantFrom('A', 'B', 'C');
const any = fc.constantFrom('A', 'B', 'C', 'X', 'X', 'Y');
const sources: fc.Arbitrary<Sources> = fc.record({
  titles: fc.dictionary(canonical, text, { minKeys: 1, maxKeys: 3 }),
  links: fc.array(
    fc.tuple(canonical, any, fc.constantFrom('depends' as const, 'refines' as const)),
    { maxLength: 5 },
  ),
});
const addition: fc.Arbitrary<Step> = fc.record(
  { add: fc.constantFrom('X', 'Y'), title: text, to: any },
  { requiredKeys: ['add', 'title'] },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ sources }) },
  { weight: 2, arbitrary: addition },
  { weight: 2, arbitrary: fc.record({ edit: any, title: text }) },
  { weight: 5, arbitrary: fc.record({ judge: any }) },
  { weight: 2, arbitrary: fc.record({ link: any }) },
  fc.record({
    normative: fc.constantFrom(['title'], ['title', 'links'], ['kind', 'statement', 'title']),
  }),
);

test('a deletion does to verdicts and links what its refusal says, whatever was done before [PQRS-26, PQRS-27]', async () => {
  const steps = fc.array(step, { minLength: 4, maxLength: 10 });
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(sources, steps, addition, async (first, more, last) => {
      const project = await projectAfter([{ sources: first }, ...more, last, { link: 'X' }]);
      if (project.added.has('X') && (await compared(project, 'X'))) refused += 1;
    }),
    { numRuns: 20 },
  );
  expect(refused).toBeGreaterThan(0);
}, 60_000);
