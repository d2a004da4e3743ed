// `pqrs import`: files and folders of requirement sources become the next revision.
import { Problem } from '../../errors.ts';
import type { ImportReport, SentFile } from '../administration/administration.ts';
import { runAdministration } from '../administration/with-administration.ts';
import {
  type Command,
  type CommandCall,
  CommandFailed,
  plainText,
  print,
  printJson,
  printTable,
  UsageError,
} from '../command.ts';
import { chooseSources } from '../import/choice.ts';
import { type FoundFiles, findFiles } from '../import/files.ts';
import { type OnProgress, openProgressBar } from '../progress-bar.ts';

const PATHS_SHOWN = 5;

export const importSources: Command = {
  name: 'import',
  usage: 'PATH… [--project SLUG] [--merge] [--text-attribute PATTERN=NAME] [--yes]',
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
    yes: { kind: 'switch', help: 'import even where more than half of the stories would go' },
  },
  async run(call) {
    if (call.positionals.length === 0) throw new UsageError('this command takes PATH…');
    const bar = call.json
      ? undefined
      : openProgressBar(process.stderr, process.env.TERM === 'dumb');
    const { report, ...left } = await importAll(call, bar?.show).finally(() => bar?.end());
    if (call.json) return printJson({ ...report, ...left });
    printTable(
      ['STATUS', 'ITEMS', 'FORMAT', 'PATH'],
      report.sources.map((one) => [one.status, String(one.items), one.format ?? '', one.path]),
    );
    print();
    const { revision, created, nodes, edges, errors, warnings } = report;
    print(
      created
        ? `revision ${revision}: ${nodes} nodes, ${edges} edges, ${errors} errors, ${warnings} warnings`
        : `nothing has changed since revision ${revision}`,
    );
    const { passedOver } = left;
    if (passedOver.length > 0)
      print(
        `passed over, links, folders of tools and tests, and what no reader takes: ${shown(passedOver)}`,
      );
    for (const line of linesOf(left)) print(line);
  },
};

/** What an import has left out. */
type LeftOut = Omit<FoundFiles, 'files'>;

/** What was left out although it might have held sources, a line for each reason. */
function linesOf({ dataFolders, misnamed }: Pick<LeftOut, 'dataFolders' | 'misnamed'>): string[] {
  const whys = misnamed.map(({ path, why }) => `${path} (${why})`);
  return [
    ...(dataFolders.length > 0
      ? [`passed over, data folders of pqrs and what lies in them: ${shown(dataFolders)}`]
      : []),
    ...(whys.length > 0 ? [`passed over, for their names: ${shown(whys)}`] : []),
  ];
}

function shown(paths: readonly string[]): string {
  const more = paths.length - PATHS_SHOWN;
  const first = paths.slice(0, PATHS_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return plainText(first);
}

async function importAll(
  call: CommandCall,
  onProgress: OnProgress | undefined,
): Promise<LeftOut & { report: ImportReport }> {
  const found = await findFiles(call.positionals, call.config.dataDir);
  const { sources: files, passedOver } = await chooseSources(found.files, onProgress);
  const left = {
    passedOver: [...found.passedOver, ...passedOver].sort(),
    dataFolders: found.dataFolders.sort(),
    misnamed: found.misnamed.sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
  if (files.length === 0) {
    const others = linesOf(left).map((line) => `; ${line}`);
    throw new UsageError(`there is no requirement source at these paths${others.join('')}`);
  }
  setTextAttributes(files, call.texts('text-attribute'));
  const mode = call.switched('merge') ? 'merge' : 'replace';
  const confirm = call.switched('yes');
  const wish = { project: call.text('project'), files, mode, confirm } as const;
  try {
    const report = await runAdministration(call, 'import', wish, onProgress);
    return { report, ...left };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'drops_stories') throw error;
    throw new CommandFailed(error.message.replace(/\.$/, '; --yes does so'));
  }
}

/** Gives the files that a pattern matches the attribute behind it. @throws UsageError for no match */
function setTextAttributes(files: readonly SentFile[], choices: readonly string[]): void {
  for (const choice of choices) {
    const at = choice.indexOf('=');
    const [pattern, name] = [choice.slice(0, at), choice.slice(at + 1)];
    if (at < 1 || name === '') throw new UsageError('--text-attribute takes PATTERN=NAME');
    const matches = globOf(pattern);
    const matching = files.filter(({ path }) => matches.test(path));
    if (matching.length === 0) throw new UsageError(`no source has a path like ${pattern}`);
    for (const file of matching) file.textAttribute = name;
  }
}

/** A pattern without a slash is one of file names. */
function globOf(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/?|\*|\?/g, (mark) => (mark === '*' ? '[^/]*' : mark === '?' ? '[^/]' : '.*'));
  return new RegExp(`^${pattern.includes('/') ? '' : '(?:.*/)?'}${source}$`);
}
