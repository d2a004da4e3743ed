// Edits and additions as they are shown.
import { timestamp } from '../../clock.ts';
import { etagOf } from '../../model/etag.ts';
import type { StoryAdditionRow, StoryEditRow } from '../../store/tables/assurance.ts';

/** An edit as it is shown. */
export function editView(row: StoryEditRow) {
  return {
    id: row.id,
    storyId: row.storyId,
    set: row.setFields,
    base: row.base,
    reason: row.reason,
    state: row.state,
    baseFingerprint: row.baseFingerprint,
    ...shared(row),
  };
}

/** An addition as it is shown. */
export function additionView(row: StoryAdditionRow) {
  const { id, storyId, parentId, kind, title, statement, reason, state } = row;
  return {
    id,
    storyId,
    parentId,
    kind,
    title,
    statement,
    acceptance: row.acceptance,
    links: row.links,
    reason,
    state,
    ...shared(row),
  };
}

function shared(row: StoryEditRow | StoryAdditionRow) {
  return {
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
    decidedAt: row.decidedAt === null ? null : timestamp(row.decidedAt),
    decidedBy:
      row.decidedToken === null ? null : { tokenId: row.decidedToken, label: row.decidedLabel },
    version: row.version,
  };
}

/** The entity tag of an edit or addition. */
export function overlayEtag(view: { version: number }): string {
  return etagOf(view.version, JSON.stringify(view));
}
