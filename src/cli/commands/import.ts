// `pqrs import`: files and folders become the next revision: those that a reader knows or would know if
// they were whole, and those that API documents refer to.
import { readFile, stat } from 'node:fs/promises';
import { join, matchesGlob, relative } from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import type { SourceFile } from '../../requirements/sources/model.ts';
import type { SentFile } from '../administration/administration.ts';
import { runAdministration } from '../administration/run.ts';
import {
  type Command,
  type CommandCall,
  CommandFailed,
  type OnProgress,
  plainText,
  type Result,
  tableLines,
  UsageError,
  withProgress,
} from '../command.ts';
import { SERVER } from './clients.ts';
import { findFiles, type NamedFile } from './import-files.ts';

const PATHS_SHOWN = 5;
/** What goes with `--url` alone. */
const REMOTE = ['token-file', 'ca', 'dry-run', 'fail-on', 'format'];

export const importSources: Command = {
  name: 'import',
  args: ['PATH…'],
  usage:
    '[--project SLUG] [--merge] [--text-attribute PATTERN=NAME] [--yes] [--url URL --token-file FILE [--dry-run] [--fail-on SEVERITY]]',
  help: 'Make the files of some folders the next revision of a project; /docs/markdown of a server says how Markdown is read.',
  options: {
    project: { kind: 'text', help: 'slug of the project; not needed where there is one' },
    'text-attribute': {
      kind: 'texts',
      help: 'of ReqIF files whose paths match, such as "*.reqif=Content": the attribute that is the text; repeatable',
    },
    merge: {
      kind: 'switch',
      help: 'keep the files of the latest revision that are not given anew',
    },
    ...SERVER,
    'dry-run': {
      kind: 'switch',
      help: 'with --url: say what would change and which verdicts that costs, and change nothing',
    },
    'fail-on': {
      kind: 'text',
      help: 'with --url: 1 where there is a finding of this severity or a worse one: error, warning, info',
    },
    format: { kind: 'text', help: 'with --url, of the findings: text (path:line: …) or github' },
    yes: { kind: 'switch', help: 'import even where more than half of the stories would go' },
  },
  async run(call) {
    const isRemote = call.text('url') !== undefined;
    const alone = REMOTE.find((name) => call.text(name) !== undefined || call.switched(name));
    if (alone && !isRemote) throw new UsageError(`--${alone} goes with --url`);
    return isRemote ? runRemote(call) : runHere(call);
  },
};

async function runHere(call: CommandCall): Promise<Result> {
  const report = await withProgress(process.stderr, call.json, (onProgress) =>
    refusalTold(async () => {
      const { passedOver, base: _base, ...input } = await readAll(call, onProgress);
      onProgress?.('storing', 0, 1);
      return { ...(await runAdministration(call, 'import', input)), passedOver };
    }),
  );
  return { data: report, lines: reportLines(report) };
}

async function runRemote(call: CommandCall): Promise<Result> {
  const { changeLines, failing, findingLines, readFailOn, sendSources } = await import(
    '../runner/send-sources.ts'
  );
  const failOn = readFailOn(call);
  const format = call.text('format') ?? 'text';
  if (format !== 'text' && format !== 'github') throw new UsageError('--format is text or github');
  let folder = '';
  const report = await withProgress(process.stderr, call.json, (onProgress) =>
    refusalTold(async () => {
      const { passedOver, base, ...input } = await readAll(call, onProgress);
      folder = relative('.', base);
      onProgress?.('storing', 0, 1);
      return { ...(await sendSources(call, input)), passedOver };
    }),
  );
  const { findings, change } = report;
  const lines = [
    // As they lie here, where an editor or an annotation looks for them.
    ...findingLines(
      findings.map((one) => ({ ...one, path: join(folder, one.path) })),
      format === 'github',
    ),
    ...(change ? changeLines(change) : reportLines(report)),
  ];
  const { length } = failing(findings, failOn);
  const failure = `${length} findings are ${failOn} or worse`;
  return length > 0 ? { data: report, lines, failure } : { data: report, lines };
}

interface Report {
  revision: number;
  created: boolean;
  nodes?: number;
  edges?: number;
  errors?: number;
  warnings?: number;
  sources: readonly { status: string; items: number; format: string | null; path: string }[];
  passedOver: readonly string[];
}

function reportLines(report: Report): string[] {
  const { revision, created, nodes, edges, errors, warnings, sources, passedOver } = report;
  const rows = sources.map((one) => [one.status, String(one.items), one.format ?? '', one.path]);
  const lines = [
    ...tableLines(['STATUS', 'ITEMS', 'FORMAT', 'PATH'], rows),
    '',
    created
      ? `revision ${revision}: ${nodes} nodes, ${edges} edges, ${errors} errors, ${warnings} warnings`
      : `nothing has changed since revision ${revision}`,
  ];
  if (passedOver.length > 0) lines.push(passedOverText(passedOver));
  return lines;
}

function passedOverText(paths: readonly string[]): string {
  const more = paths.length - PATHS_SHOWN;
  const some = paths.slice(0, PATHS_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return plainText(
    `passed over, links, data folders, folders of tools and tests, and what no reader takes: ${some}`,
  );
}

async function readAll(call: CommandCall, onProgress: OnProgress | undefined) {
  const found = await findFiles(call.positionals);
  const { sources: files, passedOver } = await chooseSources(found.files, onProgress);
  const left = [...found.passedOver, ...passedOver].sort();
  if (files.length === 0) {
    const others = left.length > 0 ? `; ${passedOverText(left)}` : '';
    throw new UsageError(`there is no requirement source at these paths${others}`);
  }
  setTextAttributes(files, call.texts('text-attribute'));
  const mode = call.switched('merge') ? ('merge' as const) : ('replace' as const);
  const confirm = call.switched('yes');
  const { base } = found;
  return { project: call.text('project'), files, mode, confirm, passedOver: left, base };
}

/** A refusal that `--yes` overrules names it. */
async function refusalTold<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (!(error instanceof Error) || code !== 'drops_stories') throw error;
    throw new CommandFailed(error.message.replace(/\.?$/, '; --yes does so'));
  }
}

/** Gives the files that a pattern matches the attribute behind it. @throws UsageError for no match */
function setTextAttributes(files: readonly SentFile[], choices: readonly string[]): void {
  for (const choice of choices) {
    const [, pattern = '', name = ''] = /^([^=]+)=(.+)$/.exec(choice) ?? [];
    if (name === '') throw new UsageError('--text-attribute takes PATTERN=NAME');
    // A pattern without a slash is one of file names.
    const glob = pattern.includes('/') ? pattern : `**/${pattern}`;
    const matching = files.filter(({ path }) => matchesGlob(path, glob));
    if (matching.length === 0) throw new UsageError(`no source has a path like ${pattern}`);
    for (const file of matching) file.textAttribute = name;
  }
}

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Reads files, and chooses the sources among them; gives those, and the paths of the others. */
async function chooseSources(
  files: readonly NamedFile[],
  onProgress?: OnProgress,
): Promise<{ sources: SentFile[]; passedOver: string[] }> {
  const { openDetector } = await import('../../requirements/sources/detect.ts');
  const { isConfig } = await import('../../requirements/sources/doorstop/document.ts');
  const { referredFrom } = await import('../../requirements/sources/openapi/library.ts');
  const { decodeSource } = await import('../../requirements/sources/text.ts');
  // Only these say what others are: of the rest, one at a time is in memory.
  const detect = openDetector(
    await Promise.all(files.filter(({ name }) => isConfig(name)).map(readNamed)),
  );
  const sources: SentFile[] = [];
  const passedOver = new Map<string, NamedFile>();
  const referred: string[] = [];
  const add = (source: SourceFile, isApi: boolean) => {
    const { path, bytes } = source;
    sources.push({ path, contentBase64: Buffer.from(bytes).toString('base64') });
    if (isApi) referred.push(...referredFrom(source));
  };
  for (const [at, file] of files.entries()) {
    onProgress?.('reading', at, files.length);
    const isTooLarge = (await stat(file.path)).size > MAX_FILE_BYTES;
    const source = isTooLarge ? undefined : await readNamed(file);
    const format = source && detect(source);
    const isBroken = () =>
      /\.json$/i.test(file.name) && source && !isSomeJson(decodeSource(source.bytes).text);
    if (source && (format !== null || isBroken())) add(source, format === 'openapi');
    else passedOver.set(file.name, file);
  }
  for (let name = referred.pop(); name !== undefined; name = referred.pop()) {
    const file = passedOver.get(name);
    if (!file || !/\.(?:json|ya?ml)$/i.test(name)) continue;
    passedOver.delete(name);
    add(await readNamed(file), true);
  }
  return { sources, passedOver: [...passedOver.values()].map((file) => file.path) };
}

async function readNamed({ path, name }: NamedFile): Promise<SourceFile> {
  return { path: name, bytes: await readFile(path) };
}

function isSomeJson(text: string): boolean {
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: true });
  return errors.length === 0;
}
