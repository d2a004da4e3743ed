// `pqrs gate`: whether a project on a running server may be released. 0 is yes, 1 no, and 2 a question
// that has no answer: nothing else is ever 0.
import type { GateAnswer } from '../../assurance/gate/model.ts';
import { type Command, type CommandCall, CommandFailed, UsageError } from '../command.ts';
import type { Api } from '../runner/api.ts';
import { SERVER } from './clients.ts';
import { type CoveredStory, GATE_FORMATS, type GateReport } from './gate-formats.ts';

type Query = NonNullable<NonNullable<Parameters<Api['project-traceability']['get']>[0]>['query']>;

const FLAGS: Partial<Record<keyof Query, string>> = {
  storyId: 'story',
  failOn: 'fail-on',
  minCoverage: 'min-coverage',
  maxFlakyRate: 'max-flaky-rate',
  newFailuresSince: 'new-failures-since',
};

const FORMATS = Object.keys(GATE_FORMATS) as (keyof typeof GATE_FORMATS)[];

export const gate: Command = {
  name: 'gate',
  args: ['[NAME]'],
  usage: '[--tag TAG] [--root ID] [--story ID] [--baseline NAME] … --url URL --token-file FILE',
  help: 'Ask a running server whether a project may be released: 0 if so, 1 with every reason if not, 2 where that cannot be said.',
  options: {
    ...SERVER,
    project: { kind: 'text', help: 'slug that the project of the token must have' },
    tag: { kind: 'texts', help: 'stories with this tag alone; may be repeated' },
    kind: { kind: 'texts', help: 'requirement or story alone' },
    root: { kind: 'text', help: 'what this document, section or story contains alone' },
    story: { kind: 'texts', help: 'this story alone; may be repeated' },
    baseline: { kind: 'text', help: 'the revision with this name in the place of the latest' },
    'fail-on': {
      kind: 'text',
      help: 'statuses of stories, blockers, audit_errors, suspect_verdicts, comma separated',
    },
    'min-coverage': { kind: 'text', help: 'the least share of covered stories, from 0 to 1' },
    'max-flaky-rate': { kind: 'text', help: 'how often a test may flake, from 0 to 1' },
    'new-failures-since': {
      kind: 'text',
      help: 'a commit or baseline: fail on what did not fail then',
    },
    format: { kind: 'text', help: `${FORMATS.join(', ')} (text)` },
  },
  settings: [],
  async run(call) {
    const format = FORMATS.find((one) => one === (call.text('format') ?? 'text'));
    if (!format) throw new UsageError(`--format must be one of ${FORMATS.join(', ')}`);
    const report = await askGate(call);
    process.stdout.write(GATE_FORMATS[call.json ? 'json' : format](report));
    const { gate: name, reasons, verdict } = report.answer;
    if (verdict === 'passed') return;
    const count = `${reasons.length} ${reasons.length === 1 ? 'reason' : 'reasons'}`;
    throw new CommandFailed(`the gate ${name} is closed for ${count}`);
  },
};

/** @throws UsageError for whatever keeps a gate from being answered */
async function askGate(call: CommandCall): Promise<GateReport> {
  const { connect, dataOf, readConnection, Refused } = await import('../runner/api.ts');
  const rules = rulesOf(call);
  const scope = scopeOf(call);
  const connection = await readConnection(call, process.env);
  const api = connect(connection, { until: () => 0, onWait: () => {} });
  try {
    await requireProject(api, call.text('project'));
    const query = { view: 'gate' as const, gate: call.positionals[0], ...scope, ...rules };
    const answer = (await dataOf(api['project-traceability'].get({ query }))) as GateAnswer;
    if (answer.verdict !== 'passed' && answer.verdict !== 'failed')
      throw new UsageError(`${connection.url} does not answer as pqrs does`);
    const stories = call.text('format') === 'junit' ? await storiesOf(api, scope) : [];
    return { answer, stories, url: connection.url };
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    const [field] = error instanceof Refused ? error.errors : [];
    if (!field) throw new UsageError(error.message);
    const name = field.pointer.slice(1).split('/')[0] as keyof Query;
    const flag = name === 'gate' ? 'NAME' : `--${FLAGS[name] ?? name}`;
    throw new UsageError(`${flag}: ${field.detail}`);
  }

  async function requireProject({ projects }: Api, slug: string | undefined) {
    if (slug === undefined) return;
    const found = (await dataOf(projects.get({ query: {} }))) as { items?: { slug: string }[] };
    const own = found.items?.[0]?.slug;
    if (own !== slug) throw new UsageError(`--project: the token is of ${own}, not of ${slug}`);
  }

  async function storiesOf({ 'project-traceability': { get } }: Api, filters: Query) {
    const stories: CoveredStory[] = [];
    let cursor: string | null = null;
    do {
      const query = { ...filters, limit: 200, ...(cursor === null ? {} : { cursor }) };
      const page = (await dataOf(get({ query }))) as Page;
      stories.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return stories;
  }
}

interface Page {
  items: CoveredStory[];
  nextCursor: string | null;
}

function scopeOf(call: CommandCall): Query {
  const texts = (name: string) => (call.texts(name).length > 0 ? call.texts(name) : undefined);
  return {
    storyId: texts('story'),
    kind: texts('kind') as Query['kind'],
    tag: texts('tag'),
    root: call.text('root'),
    baseline: call.text('baseline'),
  };
}

function rulesOf(call: CommandCall): Query {
  return {
    failOn: call.text('fail-on')?.split(',') as Query['failOn'],
    minCoverage: shareAt(call, 'min-coverage'),
    maxFlakyRate: shareAt(call, 'max-flaky-rate'),
    newFailuresSince: call.text('new-failures-since'),
  };
}

function shareAt(call: CommandCall, name: string): number | undefined {
  const text = call.text(name);
  if (text === undefined || /^(?:0|1|0?\.\d{1,9})$/.test(text))
    return text === undefined ? text : Number(text);
  throw new UsageError(`--${name} must be a share from 0 to 1, such as 0.95`);
}
