// The audit: what changes rights, settings or what is stored is on record in the project's log.
import { describe, expect } from 'bun:test';
import { attachFile } from '../support/files.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject } from '../support/requirement-project.ts';
import type { LogEntry, Page } from '../support/shapes.ts';

const ownBecause = 'it would make a project';

const MARKDOWN = '# Shop\n\n- SHOP-1: Cart\n- SHOP-2: Checkout\n';

describe('GET /system-logs?source=pqrs [PQRS-65]', () => {
  flow('holds each change with its actor, in order', { ownBecause }, async (api) => {
    const project = await makeRequirementProject(api, { retentionDays: 30 });
    const { slug, as } = project;
    const settings = { retentionDays: 7 };
    (await api.post('/projects', { slug, settings }, as)).must(200);
    (await api.post('/projects', { slug, settings }, as)).must(200);
    await project.bring({ 'shop.md': MARKDOWN });
    const { id: additionId, storyId } = (
      await api.post('/story-additions', { title: 'Refund' }, as)
    )
      .must(201)
      .json<{ id: string; storyId: string }>();
    (await api.send('DELETE', `/story-additions?id=${additionId}`, as)).must(204);

    const entries = await project.get<Page<LogEntry>>('/system-logs', { source: 'pqrs' });
    const events = entries.items.map(({ level, message, fields }) => {
      expect(level).toBe('info');
      expect(fields).toMatchObject({ action: message, by: { tokenId: expect.any(String) } });
      const { action, by: _, ...rest } = fields ?? {};
      return { action, ...rest };
    });
    expect(events.reverse()).toMatchObject([
      { action: 'project.created', slug, name: slug },
      { action: 'token.created', label: 'owner', capabilities: ['project:owner'], instance: false },
      {
        action: 'project.updated',
        changes: [{ field: 'settings.retentionDays', from: 30, to: 7 }],
      },
      { action: 'revision.imported', revision: 1, mode: 'replace', sources: 1 },
      { action: 'addition.deleted', additionId, storyId, cascade: false },
    ]);
    const actors = entries.items.map(
      ({ fields }) => (fields as { by: { label: string } }).by.label,
    );
    expect(actors).toEqual(['owner', 'owner', 'owner', 'owner', 'owner']);
    const found = await project.get<Page<LogEntry>>('/system-logs', { q: 'addition deleted' });
    expect(found.items.map(({ message }) => message)).toEqual(['addition.deleted']);
  });

  flow('holds evidence that was taken away', { ownBecause, compare: false }, async (api) => {
    const { id: issueId } = (await api.post('/issues', { title: api.unique })).must(201);
    const { id, sha256 } = await attachFile(api, issueId, { bytes: api.unique });
    (await api.patch(`/issues/${issueId}`, { removeAttachments: [id] })).must(200);
    const query = { source: 'pqrs', q: `"${issueId}"`, limit: 1 };
    const { items } = (await api.get('/system-logs', { query })).must(200).json<Page<LogEntry>>();
    expect(items[0]?.fields).toMatchObject({
      action: 'evidence.removed',
      issueId,
      attachments: [{ id, sha256 }],
    });
  });
});
