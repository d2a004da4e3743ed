// `pqrs import`: files and folders of requirement sources become the next revision.
import type { OnProgress } from '../requirements/import/progress.ts';
import type { ImportReport } from './administration.ts';
import {
  type Command,
  type CommandCall,
  print,
  printJson,
  printTable,
  UsageError,
} from './command.ts';
import { chooseSources } from './import-choice.ts';
import { findFiles } from './import-files.ts';
import { openProgressBar } from './progress-bar.ts';
import { runAdministration } from './with-administration.ts';

const PATHS_SHOWN = 5;

export const importSources: Command = {
  name: 'import',
  usage: 'PATH… [--project SLUG] [--merge]',
  help: 'Make the files of some folders the next revision of a project.',
  options: {
    project: { kind: 'text', help: 'slug of the project; not needed where there is one' },
    merge: {
      kind: 'switch',
      help: 'keep the files of the latest revision that are not given anew',
    },
  },
  async run(call) {
    if (call.positionals.length === 0) throw new UsageError('this command takes PATH…');
    const bar = call.json
      ? undefined
      : openProgressBar(process.stderr, process.env.TERM === 'dumb');
    const { report, passedOver } = await importAll(call, bar?.show).finally(() => bar?.end());
    if (call.json) return printJson({ ...report, passedOver });
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
    if (passedOver.length > 0)
      print(`passed over, links and what no reader takes: ${shown(passedOver)}`);
  },
};

function shown(paths: readonly string[]): string {
  const more = paths.length - PATHS_SHOWN;
  return paths.slice(0, PATHS_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

async function importAll(
  call: CommandCall,
  onProgress: OnProgress | undefined,
): Promise<{ report: ImportReport; passedOver: string[] }> {
  const found = await findFiles(call.positionals);
  const { sources: files, passedOver } = await chooseSources(found.files, onProgress);
  if (files.length === 0) throw new UsageError('there is no requirement source at these paths');
  const mode = call.switched('merge') ? 'merge' : 'replace';
  const wish = { project: call.text('project'), files, mode } as const;
  const report = await runAdministration(call, 'import', wish, onProgress);
  return { report, passedOver: [...found.links, ...passedOver].sort() };
}
