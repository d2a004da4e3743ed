// A handoff for reading: the same document as Markdown.
import type { Handoff, HandoffAction, HandoffWorkflow } from './model.ts';

export function handoffMarkdown(handoff: Handoff): string {
  const { stories, commands, scenarios, plans, runs, blockers, reported, caller } = handoff;
  const parts = [
    head(handoff),
    '## Next',
    ...handoff.nextActions.map(action),
    ...section(
      'Stories that need work most',
      stories,
      table(
        ['story', 'status', 'priority', 'why'],
        stories.items.map(({ id, title, status, priority, why }) => [
          `${code(id)} ${plain(title)}`,
          status,
          plain(priority ?? ''),
          why.map(plain).join(' '),
        ]),
      ),
    ),
    ...section(
      'Test commands',
      commands,
      table(
        ['command', 'kind', 'runs', 'state', 'last run'],
        commands.items.map(({ id, key, kind, argv, state, lastRun }) => [
          `${code(key)} (${code(id)})`,
          kind,
          argv.length === 0 ? '' : code(argv.join(' ')),
          state,
          lastRun === null ? 'never' : `${lastRun.status}, ${lastRun.at}`,
        ]),
      ),
    ),
    ...section(
      'Scenarios',
      scenarios,
      scenarios.items.map(({ key, title }) => `- ${code(key)} ${plain(title)}`).join('\n'),
    ),
    ...section(
      'Plans that are not worked off',
      all(plans),
      table(
        ['plan', 'revision', 'open', 'claimed', 'ended'],
        plans.map(({ id, ...plan }) => [
          code(id),
          ...[plan.revision, plan.open, plan.claimed, plan.ended].map(String),
        ]),
      ),
    ),
    ...section(
      'Last runs',
      all(runs),
      table(
        ['run', 'name', 'status', 'at', 'results'],
        runs.map(({ id, name, status, at, totals, harnessErrors }) => [
          code(id),
          plain(name),
          status,
          at,
          [sums(totals), ...harnessErrors.map(({ detail }) => plain(detail))].join(' '),
        ]),
      ),
    ),
    ...section(
      'Reports of web pages that nobody has looked at',
      { total: reported.total, items: reported.numbers },
      reported.numbers.map((number) => `#${number}`).join(', '),
    ),
    ...section(
      'Open blockers',
      blockers,
      blockers.items
        .map(({ id, number, title, status, untrusted }) => {
          const what = untrusted ? ', filed by a web page' : `: ${plain(title)}`;
          return `- #${number} (${code(id)}, ${status})${what}`;
        })
        .join('\n'),
    ),
    '## What you may call',
    table(
      ['request', 'purpose'],
      caller.calls.map(({ method, path, purpose }) => [code(`${method} ${path}`), purpose]),
    ),
    ...handoff.workflows.flatMap(workflow),
    '## Conventions',
    ...handoff.conventions.flatMap(({ topic, rules }) => [`### ${topic}`, bullets(rules)]),
    '## Limits',
    bullets(Object.entries(handoff.limits).map(([name, value]) => `${code(name)}: ${value}`)),
  ];
  return `${parts.join('\n\n')}\n`;
}

function head({ project, counts, caller, service }: Handoff): string {
  const { total, covered, failing, untested } = counts.routes;
  const label = caller.label === null ? '' : ` (${plain(caller.label)})`;
  const { errors, warnings } = project.audit;
  return [
    `# ${plain(project.name)}\n`,
    `${plain(project.description)}\n`,
    `- Project ${code(project.slug)}, revision ${project.revision}. Sources: ${project.sources.total}. Their audit: ${errors} errors, ${warnings} warnings.`,
    `- You are ${code(caller.tokenId)}${label} with ${caller.capabilities.map(code).join(', ')}.`,
    `- Stories: ${counts.stories.total}. ${sums(counts.statuses)}`,
    `- Issues: ${sums(counts.issues)}`,
    `- Test commands: ${counts.commands}. Scenarios: ${counts.scenarios}. Runs: ${counts.runs}.`,
    `- Routes: ${total} (${covered} covered, ${failing} failing, ${untested} untested).`,
    `- The API document is ${code(service.openapi)}, its pages are ${code(service.docs)}; pqrs ${service.version}.`,
  ].join('\n');
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
    `## ${summary} (${code(workflowId)})`,
    bullets(
      inputs.map(({ name, required, description }) => {
        return `${code(`$inputs.${name}`)}${required ? '' : ' (optional)'}: ${description}`;
      }),
    ),
    ...steps.flatMap(({ stepId, description, method, path, payload, outputs }) => [
      `${code(stepId)}: ${code(`${method} ${path}`)} ${description}`,
      json(payload),
      bullets(Object.entries(outputs).map(([name, at]) => `${code(name)} is ${code(at)}`)),
    ]),
  ];
}

interface Excerpt {
  total: number;
  items: readonly unknown[];
}

function all(items: readonly unknown[]): Excerpt {
  return { total: items.length, items };
}

function section(title: string, { total, items }: Excerpt, text: string): string[] {
  if (total === 0) return [];
  const more = total > items.length ? [`Not shown: ${total - items.length} more.`] : [];
  return [`## ${title}`, text, ...more];
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function table(headings: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  // A pipe ends a cell even in code.
  const safe = rows.map((cells) => cells.map((cell) => cell.replace(/(?<!\\)\|/g, '\\|')));
  return [line(headings), line(headings.map(() => '---')), ...safe.map(line)].join('\n');
}

function sums(counts: Record<string, number>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length === 0 ? 'none.' : `${some.map(([name, n]) => `${n} ${name}`).join(', ')}.`;
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
