// The answer of a gate as people, CI systems and other programs read it.
import { createHash } from 'node:crypto';
import type { GateAnswer, Reason } from '../../assurance/gate/model.ts';
import { element, escapeText } from '../../requirements/export/xml-text.ts';
import { plainText } from '../command.ts';
import { annotation, markdownText } from '../runner/annotations.ts';

export interface CoveredStory {
  storyId: string;
  title: string;
}

export interface GateReport {
  answer: GateAnswer;
  /** Those that were asked about; for JUnit alone. */
  stories: readonly CoveredStory[];
  /** Of the server: links begin with it. */
  url: string;
}

export const GATE_FORMATS = {
  text: textOf,
  json: ({ answer }: GateReport) => `${JSON.stringify(answer, null, 2)}\n`,
  junit: junitOf,
  github: githubOf,
  gitlab: gitlabOf,
  markdown: markdownOf,
};

function headline({ gate, verdict, counts: { stories, statuses } }: GateAnswer): string {
  const some = Object.entries(statuses).filter(([, { count }]) => count > 0);
  const figures = some.map(([status, { count }]) => `${count} ${status}`).join(', ');
  return `gate ${gate} ${verdict}: ${stories.total} stories${figures && `, ${figures}`}`;
}

/** The story, its title and why, without what a line of the story has already. */
function sentenceOf({ storyId, title, why }: Reason): string {
  const story = [storyId, title].filter(Boolean).join(' ');
  return story === '' ? why : `${story}: ${why}`;
}

function textOf({ answer, url }: GateReport): string {
  const width = Math.max(0, ...answer.reasons.map(({ rule }) => rule.length));
  const lines = answer.reasons.map(
    (reason) => `${reason.rule.padEnd(width)}  ${sentenceOf(reason)}  ${url}${reason.link}`,
  );
  return [headline(answer), ...lines].map((line) => `${plainText(line)}\n`).join('');
}

function junitOf({ answer, stories, url }: GateReport): string {
  const name = `gate ${answer.gate}`;
  const failures = Map.groupBy(answer.reasons, ({ storyId, rule }) => storyId ?? rule);
  const titles = new Map<string, string>();
  for (const [id, [first]] of failures) titles.set(id, first?.title ? `${id} ${first.title}` : id);
  for (const { storyId, title } of stories) titles.set(storyId, `${storyId} ${title}`);
  const cases = [...titles].map(([id, called]) => {
    const own = failures.get(id) ?? [];
    // A case has one failure: JUnit's readers take the first.
    const [first] = own;
    const text = own.map(({ rule, why, link }) => `${rule}: ${why} ${url}${link}`).join('\n');
    const failure = first
      ? element('failure', { type: first.rule, message: first.why }, escapeText(text))
      : '';
    return element(
      'testcase',
      { classname: name, name: called, file: first?.source?.path },
      failure,
    );
  });
  const counts = { tests: String(cases.length), failures: String(failures.size) };
  const suite = element('testsuite', { name, ...counts }, '\n', ...cases);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', {}, '\n', suite)}`;
}

function githubOf({ answer, url }: GateReport): string {
  const lines = answer.reasons.map((reason) => {
    const { source, rule, link } = reason;
    const place = source ? { file: source.path, line: Math.max(1, source.line) } : {};
    return annotation('error', { ...place, title: rule }, `${sentenceOf(reason)} ${url}${link}`);
  });
  return `${[...lines, annotation('notice', {}, headline(answer))].join('\n')}\n`;
}

/** https://docs.gitlab.com/ci/testing/code_quality: a report has a path and a fingerprint for each. */
function gitlabOf({ answer, url }: GateReport): string {
  const issues = answer.reasons.map((reason) => {
    const { rule, storyId, why, source, link } = reason;
    const hash = createHash('sha256').update(JSON.stringify([rule, storyId, why]));
    return {
      description: `${sentenceOf(reason)} ${url}${link}`,
      check_name: rule,
      fingerprint: hash.digest('hex'),
      severity: rule === 'blockers' ? 'blocker' : rule === 'failing' ? 'critical' : 'major',
      location: { path: source?.path ?? '.', lines: { begin: Math.max(1, source?.line ?? 1) } },
    };
  });
  return `${JSON.stringify(issues, null, 2)}\n`;
}

function markdownOf({ answer, url }: GateReport): string {
  const rows = answer.reasons.map(({ rule, storyId, title, why, link }) => {
    const story = [storyId, title].filter(Boolean).join(' ');
    const href = `${url}${link}`.replace(/[()|\s<>]/g, encodeURIComponent);
    return `| ${markdownText(rule)} | [${markdownText(story) || 'project'}](${href}) | ${markdownText(why)} |`;
  });
  const table =
    rows.length === 0 ? [] : ['', '| rule | story | why |', '| --- | --- | --- |', ...rows];
  return `${[`**${markdownText(headline(answer))}**`, ...table].join('\n')}\n`;
}
