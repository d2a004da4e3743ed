// A handoff for reading: the same document as Markdown.
import type { Handoff, HandoffAction, HandoffWorkflow } from './model.ts';

export function handoffMarkdown(handoff: Handoff): string {
  const parts = [
    ...projectPart(handoff),
    ...actionsPart(handoff),
    ...storiesPart(handoff),
    ...testsPart(handoff),
    ...blockersPart(handoff),
    ...callsPart(handoff),
    ...handoff.workflows.flatMap((workflow) => [...workflowPart(workflow)]),
    ...conventionsPart(handoff),
  ];
  return `${parts.join('\n\n')}\n`;
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

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  // A pipe ends a cell even in code.
  const safe = rows.map((cells) => cells.map((cell) => cell.replace(/(?<!\\)\|/g, '\\|')));
  return [line(head), line(head.map(() => '---')), ...safe.map(line)].join('\n');
}

function json(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function* counted(of: { total: number; items: readonly unknown[] }, what: string) {
  if (of.total > of.items.length) yield `Not shown: ${of.total - of.items.length} more ${what}.`;
}

function* projectPart({ project, counts, caller, service }: Handoff) {
  yield `# ${plain(project.name)}`;
  if (project.description.trim() !== '') yield plain(project.description);
  yield [
    `- Project ${code(project.slug)}, revision ${project.revision}. Sources: ${project.sources.total}.` +
      ` Their audit: ${project.audit.errors} errors, ${project.audit.warnings} warnings.`,
    `- You are ${code(caller.tokenId)}${caller.label === null ? '' : ` (${plain(caller.label)})`} with ${caller.capabilities.map(code).join(', ')}.`,
    `- Stories: ${counts.stories.total}. ${sums(counts.statuses)}`,
    `- Issues: ${sums(counts.issues)}`,
    `- Test commands: ${counts.commands}. Scenarios: ${counts.scenarios}. Runs: ${counts.runs}.`,
    `- Routes: ${counts.routes.total} (${counts.routes.covered} covered, ${counts.routes.failing} failing, ${counts.routes.untested} untested).`,
    `- The API document is ${code(service.openapi)}, its pages are ${code(service.docs)}; pqrs ${service.version}.`,
  ].join('\n');
}

function sums(counts: Record<string, number>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length === 0 ? 'none.' : `${some.map(([name, n]) => `${n} ${name}`).join(', ')}.`;
}

function* actionsPart({ nextActions }: Handoff) {
  yield '## Next';
  yield* nextActions.map(
    ({ rank, why, request }: HandoffAction) =>
      `${rank}. ${plain(why)} ${code(`${request.method} ${request.path}`)}${guards(request)}` +
      (request.body === null ? '' : `\n\n${json(request.body)}`),
  );
}

function guards({ headers }: HandoffAction['request']): string {
  const own = Object.entries(headers).filter(([name]) => name !== 'Content-Type');
  return own.map(([name, value]) => ` with ${code(`${name}: ${value}`)}`).join('');
}

function* storiesPart({ stories }: Handoff) {
  if (stories.total === 0) return;
  yield '## Stories that need work most';
  yield table(
    ['story', 'status', 'priority', 'why'],
    stories.items.map(({ id, title, status, priority, why }) => [
      `${code(id)} ${plain(title)}`,
      status,
      priority === null ? '' : plain(priority),
      why.map(plain).join(' '),
    ]),
  );
  yield* counted(stories, 'stories');
}

function* testsPart({ commands, plans, runs, scenarios }: Handoff) {
  if (commands.total > 0) {
    yield '## Test commands';
    yield table(
      ['command', 'kind', 'runs', 'state', 'last run'],
      commands.items.map(({ id, key, kind, argv, state, lastRun }) => [
        `${code(key)} (${code(id)})`,
        kind,
        argv.length === 0 ? '' : code(argv.join(' ')),
        state,
        lastRun === null ? 'never' : `${lastRun.status}, ${lastRun.at}`,
      ]),
    );
    yield* counted(commands, 'commands');
  }
  if (scenarios.total > 0) {
    yield '## Scenarios';
    yield scenarios.items.map(({ key, title }) => `- ${code(key)} ${plain(title)}`).join('\n');
    yield* counted(scenarios, 'scenarios');
  }
  if (plans.length > 0) {
    yield '## Plans that are not worked off';
    yield table(
      ['plan', 'revision', 'open', 'claimed', 'ended'],
      plans.map(({ id, revision, open, claimed, ended }) => [
        ...[code(id), String(revision)],
        ...[open, claimed, ended].map(String),
      ]),
    );
  }
  if (runs.length > 0) {
    yield '## Last runs';
    yield table(
      ['run', 'name', 'status', 'at', 'results'],
      runs.map(({ id, name, status, at, totals, harnessErrors }) => [
        ...[code(id), plain(name), status, at],
        [sums(totals), ...harnessErrors.map(({ detail }) => plain(detail))].join(' '),
      ]),
    );
  }
}

function* blockersPart({ blockers, reported }: Handoff) {
  if (reported.total > 0) {
    yield '## Reports of web pages that nobody has looked at';
    yield `${reported.total}: ${reported.numbers.map((number) => `#${number}`).join(', ')}`;
  }
  if (blockers.total === 0) return;
  yield '## Open blockers';
  yield blockers.items
    .map(
      ({ id, number, title, status, untrusted }) =>
        `- #${number} (${code(id)}, ${status})${untrusted ? ', filed by a web page' : `: ${plain(title)}`}`,
    )
    .join('\n');
  yield* counted(blockers, 'blockers');
}

function* callsPart({ caller }: Handoff) {
  yield '## What you may call';
  yield table(
    ['request', 'purpose'],
    caller.calls.map(({ method, path, purpose }) => [code(`${method} ${path}`), purpose]),
  );
}

function* workflowPart({ summary, workflowId, inputs, steps }: HandoffWorkflow) {
  yield `## ${summary} (${code(workflowId)})`;
  yield inputs
    .map(
      ({ name, required, description }) =>
        `- ${code(`$inputs.${name}`)}${required ? '' : ' (optional)'}: ${description}`,
    )
    .join('\n');
  for (const { stepId, description, method, path, requestBody, outputs } of steps) {
    yield `${code(stepId)}: ${code(`${method} ${path}`)} ${description}`;
    yield json(requestBody.payload);
    yield Object.entries(outputs)
      .map(([name, at]) => `- ${code(name)} is ${code(at)}`)
      .join('\n');
  }
}

function* conventionsPart({ conventions, limits }: Handoff) {
  yield '## Conventions';
  for (const { topic, rules } of conventions) {
    yield `### ${topic.charAt(0).toUpperCase()}${topic.slice(1)}`;
    yield rules.map((rule) => `- ${rule}`).join('\n');
  }
  yield '## Limits';
  yield table(
    ['limit', 'value'],
    Object.entries(limits).map(([name, value]) => [code(name), String(value)]),
  );
}
