// Names of files in reports: what looks like one, and how it is written alike whatever wrote it.

const SOURCE =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|php|java|kt|kts|scala|groovy|cs|fs|vb|c|cc|cpp|cxx|m|mm|swift|dart|exs?|erl|lua|pl|t|sh|bats|ps1|feature|robot|ya?ml|html|vue|svelte|code)$/i;
const TEST_FILE = /^[\w.-]+[._-](?:test|spec|cy|e2e)\.[cm]?[jt]sx?$/i;

export function looksLikeFile(name: string): boolean {
  if (name.length > 1024 || /[\n\r\t<>"|?*]/.test(name)) return false;
  if (TEST_FILE.test(name)) return true;
  return /[/\\]/.test(name) && !name.includes('://') && SOURCE.test(name) && !/ [>›] /.test(name);
}

export function plainFile(file: string): string {
  // Most names need nothing done, and there is one for every result.
  if (!/\\|^file:|^\.|\/\.|\/\//.test(file)) return file;
  const slashed = fromUrl(file).replaceAll('\\', '/');
  const parts: string[] = [];
  for (const part of slashed.split('/')) {
    if (part === '.' || (part === '' && parts.length > 0)) continue;
    const last = parts.at(-1);
    if (part === '..' && last !== undefined && last !== '..' && last !== '') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}

function fromUrl(file: string): string {
  const path = /^file:\/\/(?:localhost)?(\/.*)$/i.exec(file)?.[1];
  if (path === undefined) return file;
  const local = /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path;
  try {
    return decodeURIComponent(local);
  } catch {
    return local;
  }
}

export function isAbsolute(file: string): boolean {
  return /^(?:\/|[A-Za-z]:\/)/.test(file);
}

/** A plain file relative to a root; as it is where it does not lie under it. */
export function relativeTo(root: string | undefined, file: string): string {
  if (root === undefined || root === '') return file;
  const folder = plainFile(root).replace(/\/+$/, '');
  if (folder === '' || folder === '.') return file;
  const windows = /^[A-Za-z]:/.test(folder);
  const same = (text: string) => (windows ? text.toLowerCase() : text);
  return same(file).startsWith(`${same(folder)}/`) ? file.slice(folder.length + 1) : file;
}
