// What a test agent files, and what it may attach to.
import { describe, expect } from 'bun:test';
import { attachFile, bare } from '../support/files.ts';
import { flow } from '../support/flow.ts';
import { fileIssue, issueOf } from '../support/samples.ts';
import type { Issue } from '../support/shapes.ts';

describe('an agent [PQRS-55]', () => {
  const options = { needs: ['agent'] as const };

  flow('files an issue with all its fields, and is answered with it', options, async (api) => {
    const sent = {
      title: `Found ${api.unique}`,
      labels: [api.unique],
      runId: 'run_1',
      dedupe: false,
    };
    const { dedupe: _, ...stored } = sent;
    const answer = (await api.post('/issues', sent, { as: 'agent' })).must(201);
    const issue = answer.json<Issue>();
    expect(issue).toMatchObject({ ...stored, status: 'open', number: expect.any(Number) });
    expect(issue).toEqual(await issueOf(api, issue.id));
    const patched = await api.patch(`/issues/${issue.id}`, { status: 'triaged' }, { as: 'agent' });
    patched.mustBe(403, 'forbidden');
  });

  flow('attaches to what it filed itself alone', options, async (api) => {
    const own = await fileIssue(api, 'agent');
    const { url } = await attachFile(api, own, { as: 'agent', bytes: 'seen' });
    expect((await api.follow(url)).must(200).text).toBe('seen');
    const others = await fileIssue(api, 'owner');
    const refused = await api.send('POST', `/issues/${others}/attachments`, bare({ as: 'agent' }));
    refused.mustBe(403, 'forbidden');
    expect((await issueOf(api, others)).attachments).toEqual([]);
  });
});
