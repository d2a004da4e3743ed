// `pqrs import --url`: sources to a running server over its API, and what comes of them.
import type { Static } from '@sinclair/typebox';
import type { Finding } from '../../requirements/audit/findings.ts';
import type { SourceAudit } from '../../requirements/audit/model.ts';
import type { ImportComparison, Project } from '../../requirements/projects/model.ts';
import type { SentFile } from '../administration/administration.ts';
import { type CommandCall, plainText, UsageError } from '../command.ts';
import { annotation } from './annotations.ts';
import { connect, dataOf, REPORT_TIMEOUT_MS, readConnection } from './api.ts';

const SEVERITIES = ['error', 'warning', 'info'] as const;
type Severity = (typeof SEVERITIES)[number];

interface Sent {
  project: string | undefined;
  files: SentFile[];
  mode: 'replace' | 'merge';
  confirm: boolean;
}

/**
 * Makes the next revision of the token's project, or with `--dry-run` none.
 * @throws UsageError for another project; Refused; Unreachable
 */
export async function sendSources(call: CommandCall, { project, files, ...wanted }: Sent) {
  const connection = await readConnection(call, process.env);
  const api = connect(connection, {
    until: () => 0,
    onWait: () => {},
    timeoutMs: REPORT_TIMEOUT_MS,
  });
  const own = async () => {
    const answer = await dataOf(api.projects.get({ query: { include: ['revisions'] } }));
    return 'items' in answer ? (answer.items[0] as Static<typeof Project>) : answer;
  };
  const before = await own();
  if (project !== undefined && project !== before.slug)
    throw new UsageError(`the token is of the project ${before.slug}, and not of ${project}`);
  const dryRun = call.switched('dry-run');
  const body = { slug: before.slug, sources: files, dryRun, ...wanted };
  const { change } = await dataOf(api.projects.post(body as never));
  const after = dryRun ? before : await own();
  const audit = async () =>
    (await dataOf(api['srs-source-audit'].get())) as Static<typeof SourceAudit>;
  const findings = change?.findings ?? (await audit()).findings;
  const { revision, sources } = after;
  const created = revision !== before.revision;
  const [latest] = after.revisions ?? [];
  return { ...latest, project: after.slug, revision, created, sources, findings, change };
}

/** @throws UsageError */
export function readFailOn(call: CommandCall): Severity | undefined {
  const text = call.text('fail-on');
  const failOn = SEVERITIES.find((one) => one === text);
  if (text !== undefined && !failOn) throw new UsageError('--fail-on is error, warning or info');
  return failOn;
}

export function failing(findings: readonly Finding[], failOn: Severity | undefined): Finding[] {
  const worst = failOn === undefined ? [] : SEVERITIES.slice(0, SEVERITIES.indexOf(failOn) + 1);
  return findings.filter(({ severity }) => worst.includes(severity));
}

/** `a.md:3: error: missing_statement: …`, which editors and terminals lead to; or as GitHub annotates. */
export function findingLines(findings: readonly Finding[], isGithub: boolean): string[] {
  return findings.map(({ path, line, severity, code, detail }) => {
    if (!isGithub)
      return plainText(`${path}:${Math.max(1, line)}: ${severity}: ${code}: ${detail}`);
    const level = severity === 'info' ? 'notice' : severity;
    return annotation(level, { file: path, line: Math.max(1, line), title: code }, detail);
  });
}

export function changeLines(change: Static<typeof ImportComparison>): string[] {
  const { added, removed, moved, changed, verdicts, to } = change;
  return [
    ...added.map(({ id, title }) => `+ ${id} ${title}`),
    ...removed.map(({ id, title }) => `- ${id} ${title}`),
    ...moved.map(({ id, was, now }) => `> ${id} ${was.path} to ${now.path}`),
    ...changed.map(({ id, changes }) => `~ ${id} ${changes.map(({ field }) => field).join(', ')}`),
    ...verdicts.map(({ storyId, verdict, becomes, via }) => {
      const through = via === storyId ? '' : `, through ${via}`;
      return `! ${storyId} ${verdict}: ${becomes}${through}`;
    }),
    `revision ${to.revision} would have ${added.length} added, ${removed.length} removed, ${moved.length} moved, ${changed.length} changed, and cost ${verdicts.length} verdicts`,
  ].map(plainText);
}
