// `pqrs import`: files and folders of requirement sources become the next revision.
import { matchesGlob } from 'node:path';
import { Problem } from '../../errors.ts';
import type { SentFile } from '../administration/administration.ts';
import { runAdministration } from '../administration/run.ts';
import {
  type Command,
  type CommandCall,
  CommandFailed,
  plainText,
  tableLines,
  UsageError,
} from '../command.ts';
import { chooseSources } from '../import/choose.ts';
import { findFiles } from '../import/files.ts';
import { type OnProgress, withProgress } from '../progress-bar.ts';

const PATHS_SHOWN = 5;

export const importSources: Command = {
  name: 'import',
  args: ['PATH…'],
  usage: '[--project SLUG] [--merge] [--text-attribute PATTERN=NAME] [--yes]',
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
    const report = await withProgress(process.stderr, call.json, (onProgress) =>
      importAll(call, onProgress),
    );
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
    return { data: report, lines };
  },
};

function passedOverText(paths: readonly string[]): string {
  const more = paths.length - PATHS_SHOWN;
  const some = paths.slice(0, PATHS_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return plainText(
    `passed over, links, data folders, folders of tools and tests, and what no reader takes: ${some}`,
  );
}

async function importAll(call: CommandCall, onProgress: OnProgress | undefined) {
  const found = await findFiles(call.positionals, call.config.dataDir);
  const { sources: files, passedOver } = await chooseSources(found.files, onProgress);
  const left = [...found.passedOver, ...passedOver].sort();
  if (files.length === 0) {
    const others = left.length > 0 ? `; ${passedOverText(left)}` : '';
    throw new UsageError(`there is no requirement source at these paths${others}`);
  }
  setTextAttributes(files, call.texts('text-attribute'));
  const input = {
    project: call.text('project'),
    files,
    mode: call.switched('merge') ? 'merge' : 'replace',
    confirm: call.switched('yes'),
  } as const;
  try {
    const report = await runAdministration(call, 'import', input, onProgress);
    return { ...report, passedOver: left };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'drops_stories') throw error;
    throw new CommandFailed(error.message.replace(/\.$/, '; --yes does so'));
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
