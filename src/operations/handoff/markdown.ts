// A handoff for reading: the same document as Markdown.
import type { HandoffAction, HandoffPart, HandoffWorkflow } from './model.ts';

interface Excerpt {
  total: number;
  items: readonly object[];
}

export function handoffMarkdown(handoff: HandoffPart): string {
  const { nextActions, plans, runs, reported, caller, workflows, conventions, limits } = handoff;
  // What a web page filed is quoted nowhere that reads as instructions.
  const blockers = handoff.blockers?.items.map(({ untrusted, title, ...blocker }) => {
    return { ...blocker, title: untrusted ? 'filed by a web page' : title };
  });
  const numbers = reported?.numbers.map((number) => ({ number: `#${number}` }));
  const parts = [
    ...head(handoff),
    ...(nextActions ? ['## Next', ...nextActions.map(action)] : []),
    ...section('Stories that need work most', handoff.stories, 'id title status priority why'),
    ...section('Test commands', handoff.commands, 'key id kind argv state lastRun'),
    ...section('Scenarios', handoff.scenarios, 'key title'),
    ...section('Plans that are not worked off', all(plans), 'id revision open claimed ended'),
    ...section('Last runs', all(runs), 'id name status at totals harnessErrors'),
    ...section(
      'Reports of web pages that nobody has looked at',
      all(numbers, reported?.total),
      'number',
    ),
    ...section('Open blockers', all(blockers, handoff.blockers?.total), 'number id status title'),
    ...section('What you may call', all(caller?.calls), 'method path purpose'),
    ...(workflows ?? []).flatMap(workflow),
    ...(conventions ? ['## Conventions'] : []),
    ...(conventions ?? []).flatMap(({ topic, rules }) => [`### ${topic}`, bullets(rules)]),
    ...(limits
      ? ['## Limits', bullets(Object.entries(limits).map((pair) => pair.join(': ')))]
      : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function head({ project, counts, caller, service }: HandoffPart): string[] {
  const lines: string[] = [];
  if (project) {
    const { slug, revision, sources, audit } = project;
    lines.push(
      `# ${plain(project.name)}\n`,
      `${plain(project.description)}\n`,
      `- Project ${slug}, revision ${revision}. Sources: ${sources.total}. Their audit: ${audit.errors} errors, ${audit.warnings} warnings.`,
    );
  }
  if (caller) {
    const label = caller.label === null ? '' : ` (${plain(caller.label)})`;
    lines.push(`- You are ${caller.tokenId}${label} with ${caller.capabilities.join(', ')}.`);
  }
  if (counts)
    lines.push(
      `- Stories: ${counts.stories.total}. ${cell(counts.statuses)}`,
      `- Issues: ${cell(counts.issues)}`,
      `- Test commands: ${counts.commands}. Scenarios: ${counts.scenarios}. Runs: ${counts.runs}.`,
      `- Routes: ${cell(counts.routes)}`,
    );
  if (service)
    lines.push(
      `- The API document is ${service.openapi}, its pages are ${service.docs}; pqrs ${service.version}.`,
    );
  return lines.length > 0 ? [lines.join('\n')] : [];
}

function action({ rank, why, request }: HandoffAction): string {
  const guards = Object.entries(request.headers)
    .filter(([name]) => name !== 'Content-Type')
    .map(([name, value]) => ` with ${code(`${name}: ${value}`)}`);
  const line = `${rank}. ${plain(why)} ${code(`${request.method} ${request.path}`)}${guards.join('')}`;
  return request.body === null ? line : `${line}\n\n${json(request.body)}`;
}

function workflow({ summary, workflowId, inputs, steps }: HandoffWorkflow): string[] {
  return [
    `## ${summary} (${workflowId})`,
    bullets(
      inputs.map(({ name, required, description }) => {
        return `${code(`$inputs.${name}`)}${required ? '' : ' (optional)'}: ${description}`;
      }),
    ),
    ...steps.flatMap(({ stepId, description, method, path, missing, payload, answer, outputs }) => [
      `${stepId}: ${code(`${method} ${path}`)} ${description}${missing === null ? '' : ` ${missing}`}`,
      json(payload),
      'Its answer, shortened:',
      json(answer),
      bullets(Object.entries(outputs).map(([name, at]) => `${name} is ${code(at)}`)),
    ]),
  ];
}

function all(items: readonly object[] = [], total = items.length): Excerpt {
  return { total, items };
}

/** A table of some columns. */
function section(title: string, excerpt: Excerpt | undefined, columns: string): string[] {
  const { total, items } = excerpt ?? all();
  if (total === 0) return [];
  const names = columns.split(' ');
  const lines = [names, names.map(() => '---')];
  for (const item of items)
    lines.push(names.map((name) => cell((item as Record<string, unknown>)[name])));
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const more = total > items.length ? [`Not shown: ${total - items.length} more.`] : [];
  return [`## ${title}`, table, ...more];
}

function cell(value: unknown): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map(cell).join(' ');
  if (typeof value !== 'object') return plain(String(value));
  const entries = Object.entries(value as object);
  return plain(entries.map(([name, of]) => `${name} ${of}`).join(', '));
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*[\]<>|&]|^[#+=-]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&');
}

function code(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest > 0 ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

function json(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
