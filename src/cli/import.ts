// `pqrs import`: files and folders of requirement sources become the next revision.
import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
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
import { openProgressBar } from './progress-bar.ts';
import { runAdministration } from './with-administration.ts';

/** Folders that hold no sources of the project itself. */
const PASSED_OVER = new Set(['.git', '.hg', '.svn', 'node_modules', '.venv', '__pycache__']);
const FILE_BYTES_MOST = 64 * 1024 * 1024;
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
  const files: Source[] = [];
  const passedOver: string[] = [];
  for (const [at, path] of call.positionals.entries()) {
    onProgress?.('reading', at, call.positionals.length);
    const found = await sourcesBelow(path);
    for (const source of found.sources) files.push(source);
    for (const name of found.passedOver) passedOver.push(name);
  }
  if (files.length === 0) throw new UsageError('there is no requirement source at these paths');
  const mode = call.switched('merge') ? 'merge' : 'replace';
  const wish = { project: call.text('project'), files, mode } as const;
  return { report: await runAdministration(call, 'import', wish, onProgress), passedOver };
}

interface Source {
  path: string;
  contentBase64: string;
}

/**
 * The files at a path that a reader knows, under paths relative to it, and the paths of the others;
 * links are not followed.
 */
async function sourcesBelow(root: string): Promise<{ sources: Source[]; passedOver: string[] }> {
  const about = await lstat(root).catch(() => {
    throw new UsageError(`there is nothing at ${root}`);
  });
  const { detectFormat } = await import('../requirements/sources/detect.ts');
  const { files, links } = about.isDirectory()
    ? await filesBelow(root)
    : { files: [root], links: [] };
  const sources: Source[] = [];
  const passedOver = links;
  for (const path of files) {
    const bytes = await readFile(path);
    if (bytes.byteLength > FILE_BYTES_MOST)
      throw new UsageError(`${path} is larger than ${FILE_BYTES_MOST} bytes`);
    const name = about.isDirectory() ? relative(root, path).split(sep).join('/') : basename(path);
    if (detectFormat({ path: name, bytes }) === null) passedOver.push(path);
    else sources.push({ path: name, contentBase64: bytes.toString('base64') });
  }
  return { sources, passedOver: passedOver.sort() };
}

async function filesBelow(folder: string): Promise<{ files: string[]; links: string[] }> {
  const [files, links]: [string[], string[]] = [[], []];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) {
      const below = await filesBelow(path);
      files.push(...below.files);
      links.push(...below.links);
    } else if (entry.isFile()) files.push(path);
    else if (entry.isSymbolicLink()) links.push(path);
  }
  return { files: files.sort(), links };
}
