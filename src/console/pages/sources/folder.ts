// Files of a folder with their paths in it, as `pqrs import FOLDER` names them.

export interface NamedFile {
  path: string;
  file: File;
}

/** Folders that a command-line import passes over as well. */
const NOT_OWN = new Set([
  ...['.git', '.hg', '.svn', '.venv', '__pycache__', 'node_modules', 'vendor'],
  ...['test', 'tests', 'testdata', 'fixtures'],
]);

/** Of a folder that was chosen, paths begin below it. */
export function filesOfInput(files: Iterable<File>): NamedFile[] {
  return [...files].flatMap((file) => {
    const parts = (file.webkitRelativePath || file.name).split('/');
    const path = file.webkitRelativePath ? parts.slice(1) : parts;
    return isOwn(path) ? [{ path: path.join('/'), file }] : [];
  });
}

/** Of one folder that was dropped, paths begin below it; of more things, at each of them. */
export async function filesOfDrop({ items, files }: DataTransfer): Promise<NamedFile[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (entries.length === 0) return filesOfInput(files);
  const [first] = entries;
  const base = entries.length === 1 && first?.isDirectory ? [first] : entries;
  const found = await Promise.all(
    base.map((entry) =>
      filesBelow(entry, base.length === 1 && entry.isDirectory ? [] : [entry.name]),
    ),
  );
  return found.flat();
}

async function filesBelow(entry: FileSystemEntry, path: string[]): Promise<NamedFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return isOwn(path) ? [{ path: path.join('/'), file }] : [];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: NamedFile[] = [];
  for (;;) {
    // A hundred at a time; none is the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return found;
    for (const one of some)
      if (one.isFile || !NOT_OWN.has(one.name))
        found.push(...(await filesBelow(one, [...path, one.name])));
  }
}

function isOwn(path: readonly string[]): boolean {
  return !path.slice(0, -1).some((folder) => NOT_OWN.has(folder));
}
