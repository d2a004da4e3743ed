// The answers that show one issue whole, and a cache of them.
import { desc, eq, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { notFound } from '../../errors.ts';
import { etagOf } from '../../model/etag.ts';
import { prepared, rowWith } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import {
  type AttachmentRow,
  attachments,
  issueChanges,
  issues,
} from '../../store/tables/evidence.ts';
import { attachmentView, issueView } from './rows.ts';

const MAX_DUPLICATES = 100;

const duplicate = alias(issues, 'duplicate');

/** An issue with all that is answered with it. */
const wholeById = prepared((db) => {
  const { id, number, build, occurredAt, fromWidget } = duplicate;
  const changes = db.select().from(issueChanges).where(eq(issueChanges.issueId, issues.id));
  const duplicates = db
    .select({ id, number, build, occurredAt, fromWidget })
    .from(duplicate)
    .where(eq(duplicate.duplicateOf, issues.id));
  const attached = db.select().from(attachments).where(eq(attachments.issueSeq, issues.seq));
  return db
    .select({
      issue: rowWith(issues, {
        changes: changes.orderBy(issueChanges.seq),
        duplicates: duplicates.orderBy(desc(duplicate.seq)).limit(MAX_DUPLICATES),
        attached: attached.orderBy(attachments.seq),
      }),
    })
    .from(issues)
    .where(eq(issues.id, sql.placeholder('id')))
    .prepare();
});

export interface IssueAnswer {
  projectId: string;
  etag: string;
  /** JSON of the issue; it ends before the attachments where there are any. */
  text: string;
  /** JSON of each attachment; it ends before the link, which is made anew. */
  attached: { projectId: string; key: string; text: string }[];
}

/** @throws Problem `not_found`, for another project's issue too */
export async function readIssueAnswer(db: Db, projectId: string, id: string): Promise<IssueAnswer> {
  const [{ issue } = {}] = await wholeById(db).all({ id });
  if (!issue || issue.projectId !== projectId) throw notFound('issue');
  const { changes, duplicates, attached } = issue;
  const head = JSON.stringify(issueView(issue, changes, duplicates)).slice(0, -1);
  const etag = etagOf(issue.version, head + attached.map((one) => one.id).join());
  const text = attached.length === 0 ? `${head},"attachments":[]}` : head;
  return { projectId, etag, text, attached: attached.map(withoutLink) };
}

function withoutLink(row: AttachmentRow) {
  const text = JSON.stringify(attachmentView(row, '')).slice(0, -'"}'.length);
  return { projectId: row.projectId, key: row.key, text };
}

const MAX_CHARACTERS = 16 * 1024 * 1024;

export type IssueCache = ReturnType<typeof createIssueCache>;

export function createIssueCache() {
  // Two halves, of which the older one goes: to find the oldest entry of one map takes ever longer.
  let old = new Map<string, IssueAnswer>();
  let young = new Map<string, IssueAnswer>();
  let size = 0;
  let generation = 0;

  const get = (id: string) => young.get(id) ?? old.get(id);

  return {
    get,
    /** Grows with every change: to be read before the rows are. */
    generation: () => generation,
    /** Keeps an entry, unless an issue changed since `generation` was read, or it is kept already. */
    put(id: string, entry: IssueAnswer, since: number): void {
      if (since !== generation || get(id)) return;
      size += entry.text.length;
      young.set(id, entry);
      if (size <= MAX_CHARACTERS / 2) return;
      old = young;
      young = new Map();
      size = 0;
    },
    changed(...ids: string[]): void {
      generation += 1;
      for (const id of ids) {
        size -= young.get(id)?.text.length ?? 0;
        young.delete(id);
        old.delete(id);
      }
    },
    clear(): void {
      generation += 1;
      size = 0;
      old.clear();
      young.clear();
    },
  };
}
