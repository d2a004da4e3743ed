// The moves of an issue between its states: every one there could be, and what goes with each.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { fileIssue, issueOf } from '../support/samples.ts';
import type { Issue } from '../support/shapes.ts';

/** Where an issue may go, without and with a resolution. */
const MOVES: Record<string, string[]> = {
  open: ['triaged', 'in_progress', 'resolved', 'closed'],
  triaged: ['in_progress', 'resolved', 'closed'],
  in_progress: ['triaged', 'resolved', 'closed'],
  resolved: ['verified', 'closed', 'open'],
  verified: ['closed', 'open'],
  closed: ['open'],
};

/** What brings a new issue to a state. */
const WAY: Record<string, object[]> = {
  open: [],
  triaged: [{ status: 'triaged' }],
  in_progress: [{ status: 'in_progress' }],
  resolved: [{ status: 'resolved', resolution: 'fixed' }],
  verified: [{ status: 'resolved', resolution: 'fixed' }, { status: 'verified' }],
  closed: [{ status: 'closed', resolution: 'wont_fix' }],
};

const ENDED = ['resolved', 'verified', 'closed'];
const STATES = Object.keys(MOVES);

async function issueIn(api: Client, state: string): Promise<string> {
  const id = await fileIssue(api, 'owner');
  for (const patch of WAY[state]!) (await api.patch(`/issues/${id}`, patch)).must(200);
  return id;
}

describe('every move [PQRS-56]', () => {
  for (const from of STATES) {
    for (const to of STATES.filter((state) => state !== from)) {
      const legal = MOVES[from]!.includes(to);
      flow(`${from} to ${to} is ${legal ? 'made' : 'refused'}`, {}, async (api) => {
        const id = await issueIn(api, from);
        const before = await issueOf(api, id);
        const resolution =
          ENDED.includes(to) && !ENDED.includes(from) ? { resolution: 'wont_fix' } : {};
        const answer = await api.patch(`/issues/${id}`, { status: to, ...resolution });
        if (!legal) {
          answer.mustBe(409, 'illegal_transition');
          expect(await issueOf(api, id)).toEqual(before);
          return;
        }
        const issue = answer.must(200).json<Issue>();
        expect(issue).toMatchObject({ status: to, version: before.version + 1 });
        expect(issue.resolution === null).toBe(!ENDED.includes(to));
        expect(issue.resolvedAt === null).toBe(!ENDED.includes(to));
        expect(issue.history.at(-1)!.changes).toContainEqual({ field: 'status', from, to });
      });
    }

    flow(`${from} to itself changes nothing`, {}, async (api) => {
      const id = await issueIn(api, from);
      const before = await issueOf(api, id);
      expect((await api.patch(`/issues/${id}`, { status: from })).must(200).json<Issue>()).toEqual(
        before,
      );
    });
  }
});

describe('closing [PQRS-56]', () => {
  for (const from of ['open', 'triaged', 'in_progress']) {
    flow(`${from} needs a resolution`, {}, async (api) => {
      const id = await issueIn(api, from);
      const answer = await api.patch(`/issues/${id}`, { status: 'closed' });
      answer.mustBe(422, 'invalid', '/resolution');
    });

    flow(`${from} takes each of them`, {}, async (api) => {
      for (const resolution of ['fixed', 'wont_fix', 'invalid']) {
        const id = await issueIn(api, from);
        const answer = await api.patch(`/issues/${id}`, { status: 'closed', resolution });
        expect(answer.must(200).json()).toMatchObject({ status: 'closed', resolution });
      }
    });
  }

  flow('a resolved one keeps its resolution', {}, async (api) => {
    const id = await issueIn(api, 'resolved');
    const answer = await api.patch(`/issues/${id}`, { status: 'closed' });
    expect(answer.must(200).json()).toMatchObject({ status: 'closed', resolution: 'fixed' });
  });
});

describe('what belongs to a state [PQRS-56]', () => {
  flow('resolving says when, and may say in which build', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    const patch = { status: 'resolved', resolution: 'fixed', fixedInBuild: '2026.2.1' };
    const resolved = (await api.patch(`/issues/${id}`, patch)).must(200).json<Issue>();
    expect(resolved).toMatchObject(patch);
    expect(resolved.resolvedAt).toBe(resolved.updatedAt);
    const verified = (await api.patch(`/issues/${id}`, { status: 'verified' }))
      .must(200)
      .json<Issue>();
    expect(verified).toMatchObject({ fixedInBuild: '2026.2.1', resolvedAt: resolved.resolvedAt });
  });

  flow('opening again takes all of it away', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    const patch = { status: 'resolved', resolution: 'fixed', fixedInBuild: '2026.2.1' };
    (await api.patch(`/issues/${id}`, patch)).must(200);
    const opened = (await api.patch(`/issues/${id}`, { status: 'open' })).must(200).json();
    expect(opened).toMatchObject({
      status: 'open',
      resolution: null,
      resolvedAt: null,
      fixedInBuild: null,
      duplicateOf: null,
    });
  });

  for (const field of ['resolution', 'fixedInBuild'] as const) {
    flow(`an open issue has no ${field}`, {}, async (api) => {
      const id = await fileIssue(api, 'owner');
      const value = field === 'resolution' ? 'fixed' : '1';
      const answer = await api.patch(`/issues/${id}`, { [field]: value });
      answer.mustBe(422, 'invalid', `/${field}`);
    });
  }

  flow('an ended issue cannot lose its resolution', {}, async (api) => {
    for (const state of ENDED) {
      const id = await issueIn(api, state);
      (await api.patch(`/issues/${id}`, { resolution: null })).mustBe(422, 'invalid');
    }
  });

  flow('a move that is refused leaves the rest of the patch undone', {}, async (api) => {
    const id = await issueIn(api, 'closed');
    const before = await issueOf(api, id);
    (await api.patch(`/issues/${id}`, { status: 'verified', title: 'Other' })).mustBe(
      409,
      'illegal_transition',
    );
    expect(await issueOf(api, id)).toEqual(before);
  });

  flow('a comment is kept in the history, and nothing else changes', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    const comment = 'Seen again.\n\nOn lab-3.';
    const { history, ...issue } = (await api.patch(`/issues/${id}`, { comment }))
      .must(200)
      .json<Issue>();
    expect(issue).not.toHaveProperty('comment');
    expect(history.at(-1)!.changes).toEqual([{ field: 'comment', from: null, to: comment }]);
    (await api.patch(`/issues/${id}`, { comment: ' ' })).mustBe(422, 'invalid', '/comment');
  });

  flow('a stale tag is told before a move that is illegal', {}, async (api) => {
    const id = await issueIn(api, 'closed');
    const headers = { 'if-match': '"1-x"' };
    (await api.patch(`/issues/${id}`, { status: 'verified' }, { headers })).mustBe(
      412,
      'precondition_failed',
    );
  });
});
