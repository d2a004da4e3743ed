// An issue as it is answered: its JSON up to the attachments, whose links are made anew each time,
// and its entity tag.
import { etagOf } from '../../model/etag.ts';
import type { Db } from '../../store/database.ts';
import type { AttachmentRow } from '../../store/tables/evidence.ts';
import { attachmentsOf, changesOf, duplicatesOf, getIssueRow } from './rows.ts';
import { issueView } from './view.ts';

export interface IssueAnswer {
  projectId: string;
  etag: string;
  /** JSON of the issue without its last brace, to which the attachments are added. */
  head: string;
  attached: AttachmentRow[];
}

/**
 * Reads an issue and all that is answered with it, as this connection sees them.
 *
 * @throws Problem `not_found`, for another project's issue too
 */
export async function readIssueAnswer(db: Db, projectId: string, id: string): Promise<IssueAnswer> {
  const [row, changes, duplicates, attached] = await Promise.all([
    getIssueRow(db, projectId, id),
    changesOf(db, id),
    duplicatesOf(db, id),
    attachmentsOf(db, [id]),
  ]);
  const head = JSON.stringify(issueView(row, changes, duplicates)).slice(0, -1);
  const etag = etagOf(row.version, head + attached.map((one) => one.id).join());
  return { projectId, etag, head, attached };
}
