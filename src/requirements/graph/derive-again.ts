// What was derived of a revision's sources (graph, audit, catalog), made again where its file is
// missing or damaged: nothing is lost as long as the sources are there.
import { createHash } from 'node:crypto';
import { eq, or } from 'drizzle-orm';
import type { Services } from '../../services.ts';
import { keyedLock } from '../../store/client/keyed-lock.ts';
import { reportGone } from '../../store/files/errors.ts';
import { restoreContent } from '../../store/files/files.ts';
import { type RevisionRow, revisions } from '../../store/tables/requirements.ts';
import { settingsOf } from '../projects/projects.ts';
import { getRevision, loadSources, sourcesOf, textAttributesOf } from '../projects/revisions.ts';

// Makes derived content again, and stores it, if it comes out with the same SHA-256: another
// version or other settings may give another one. @throws ContentGone where it does not, or a
// source is missing or damaged
type DeriveAgain = (sha256: string, bytes: number) => Promise<Uint8Array<ArrayBuffer>>;

export function openDerivation(services: Services): DeriveAgain {
  const { files, log, database } = services;
  const serialized = keyedLock();
  return (sha256, bytes) =>
    serialized('', async () => {
      // The one before may have stored this one too.
      const stored = await files.load(sha256, bytes);
      if (stored) return stored;
      const { graphSha256, auditSha256, catalogSha256 } = revisions;
      const [revision] = await database.read
        .select()
        .from(revisions)
        .where(or(eq(graphSha256, sha256), eq(auditSha256, sha256), eq(catalogSha256, sha256)))
        .limit(1);
      if (!revision) throw new Error(`no revision names the content ${sha256}`);
      const what = `What revision ${revision.number} was read as`;
      const derived = await derive(services, revision);
      const recorded = [revision.graphSha256, revision.auditSha256, revision.catalogSha256];
      for (const [hash, content] of derived) {
        if (!recorded.includes(hash)) continue;
        await restoreContent(files, hash, content).catch((error) =>
          log.warn({ err: error }, 'what was derived again could not be stored'),
        );
      }
      const again = derived.get(sha256);
      if (!again) throw reportGone(services, what, sha256);
      log.warn({ sha256 }, `${what} was missing or damaged, and is made again`);
      return again;
    });
}

async function derive(
  services: Services,
  revision: RevisionRow,
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const { read } = services.database;
  const { projectId, number } = revision;
  const files = await loadSources(services, await sourcesOf(read, revision));
  const before = number > 1 ? await getRevision(read, projectId, number - 1) : undefined;
  const textAttributes = textAttributesOf(before ? await sourcesOf(read, before) : []);
  const { normative } = await settingsOf(read, projectId);
  // Loaded here, for the sake of the start: every reader hangs on it.
  const { runImport } = await import('../import/run-import.ts');
  const made: Uint8Array<ArrayBuffer>[] = [];
  const again = await runImport(
    { files, normative, revision: number, textAttributes },
    { onGraph: (graph) => made.push(Buffer.concat(graph)) },
  );
  made.push(again.findings, again.catalog);
  return new Map(made.map((bytes) => [createHash('sha256').update(bytes).digest('hex'), bytes]));
}
