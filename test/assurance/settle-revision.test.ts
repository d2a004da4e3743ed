// What a new revision does to edits whose story is in no source.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Instance, openInstance } from '../support/instance.ts';

let instance: Instance;
beforeAll(async () => {
  instance = await openInstance();
});
afterAll(() => instance.close());

const stories = (...titles: [id: string, title: string][]) =>
  titles.map(([id, title]) => `## ${id}: ${title}\n\nAs a user I have it.\n`).join('\n');

test('an addition that says what an edit sets does not absorb it, but the sources do [PQRS-25, PQRS-27]', async () => {
  const { id: projectId, token } = await instance.makeProject('p', { editPolicy: 'review' });
  const { text: editor } = await instance.makeToken(projectId, ['srs:edit']);
  const send = async (path: string, body: object, as = token) => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body), token: as };
    const answer = await instance.fetch(`/api${path}`, init);
    expect([200, 201]).toContain(answer.status);
    return (await answer.json()) as { id: string; state: string; edit: { id: string } };
  };
  const bring = (content: string) =>
    send('/projects', { slug: 'p', sources: [{ path: 'a.md', content }], confirm: true });
  const stateOf = async (id: string) => {
    const path = `/api/srs-graph?view=overlays&id=${id}`;
    const answer = await instance.fetch(path, { token });
    return ((await answer.json()) as { state: string }).state;
  };
  await bring(stories(['US-1', 'Pay'], ['US-2', 'b']));
  const { edit } = await send('/story-edits', { storyId: 'US-1', set: { title: 'Load' } });
  await bring(stories(['US-2', 'b']));
  expect(await stateOf(edit.id)).toBe('conflicted');
  const added = await send('/story-additions', { storyId: 'US-1', title: 'Load' }, editor);
  expect(added.state).toBe('proposed');
  await bring(stories(['US-2', 'c']));
  expect(await stateOf(edit.id)).toBe('conflicted');
  await send('/story-additions', { id: added.id, state: 'active' });
  await bring(stories(['US-2', 'd']));
  expect(await stateOf(edit.id)).toBe('conflicted');
  await bring(stories(['US-1', 'Load'], ['US-2', 'd']));
  expect(await stateOf(edit.id)).toBe('absorbed');
});
