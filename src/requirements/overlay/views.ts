// Edits and additions as answers give them.
import type { Static } from '@sinclair/typebox';
import { timestamp } from '../../clock.ts';
import { etagOf } from '../../model/etag.ts';
import type { StoryAdditionRow, StoryEditRow } from '../../store/tables/assurance.ts';
import type { AdditionState, EditState } from './model.ts';
import type { StoryAddition, StoryEdit } from './schemas.ts';

export function editView(row: StoryEditRow): Static<typeof StoryEdit> {
  return {
    id: row.id,
    storyId: row.storyId,
    set: row.setFields,
    base: row.base,
    reason: row.reason,
    state: row.state as EditState,
    baseFingerprint: row.baseFingerprint,
    ...decisionOf(row),
  };
}

export function additionView(row: StoryAdditionRow): Static<typeof StoryAddition> {
  const { id, storyId, parentId, kind, title, statement, acceptance, links, reason, state } = row;
  return {
    id,
    storyId,
    parentId,
    kind: kind as 'requirement' | 'story',
    title,
    statement,
    acceptance,
    links,
    reason,
    state: state as AdditionState,
    ...decisionOf(row),
  };
}

function decisionOf(row: StoryEditRow | StoryAdditionRow) {
  const { decidedAt, decidedToken: tokenId, decidedLabel: label } = row;
  return {
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
    decidedAt: decidedAt === null ? null : timestamp(decidedAt),
    decidedBy: tokenId === null ? null : { tokenId, label },
    version: row.version,
  };
}

export function overlayEtag(view: { version: number }): string {
  return etagOf(view.version, JSON.stringify(view));
}
