// The parameters of an operation: its own, those of its path, and those of its template.
import type { RouteParam } from './model.ts';
import { LONGEST_TEXT, loseOnce, type Reading } from './openapi-reading.ts';
import type { Library } from './openapi-references.ts';
import type { TreeNode } from './openapi-tree.ts';

/** What reading a parameter counts as. */
const PARAM_CONTENT = 20;
const MOST_PARAMS = 300;

/** Parameters with those of a path or an operation, which take the place of others of their name. */
export function withParams(
  before: readonly RouteParam[],
  owner: TreeNode,
  named: string,
  reading: Reading,
): RouteParam[] {
  const { library, told } = reading;
  const given = owner.entries().get('parameters');
  const list = given && library.resolve(given.node, () => named);
  if (list && list.kind !== 'list' && list.kind !== 'null') {
    loseOnce(given, owner.path, `\`parameters\` of ${named} is no list.`, reading);
  }
  const params = new Map(before.map((param) => [`${param.in} ${param.name}`, param]));
  for (const [at, item] of (list?.items().slice(0, MOST_PARAMS) ?? []).entries()) {
    const shown = () => `parameter ${at + 1} of ${named}`;
    reading.left -= PARAM_CONTENT;
    if (reading.left < 0) break;
    const node = library.resolve(item, shown);
    if (!node) continue;
    const [name, place] = ['name', 'in'].map((key) => node.entries().get(key)?.node.text ?? '');
    if (!name || !place) {
      const detail = `The ${shown()} has no name or does not say where it goes.`;
      if (!told.has(item)) library.notes(item.path).lose('invalid_field', item.line, detail);
      told.add(item);
      continue;
    }
    const param: RouteParam = { name: name.slice(0, LONGEST_TEXT), in: place.slice(0, 20) };
    const type = typeOf(node, shown, library);
    if (type !== null) param.type = type;
    params.set(`${param.in} ${param.name}`, param);
  }
  return [...params.values()].slice(0, MOST_PARAMS);
}

/** The type of a parameter: its own in 2.0, that of its schema in 3.x, the first one that is not null. */
function typeOf(param: TreeNode, shown: () => string, library: Library): string | null {
  const given = param.entries().get('schema')?.node;
  const schema = given ? library.resolve(given, shown) : param;
  const type = schema?.entries().get('type')?.node;
  const types = type?.kind === 'list' ? type.items().slice(0, 20) : type ? [type] : [];
  const named = types.find(({ kind, text }) => kind === 'text' && text !== 'null');
  return named?.text.slice(0, 100) ?? null;
}

/** Adds the parameters that stand in the template alone. */
export function withTemplate(params: RouteParam[], template: string): RouteParam[] {
  const declared = new Set(params.filter((one) => one.in === 'path').map(({ name }) => name));
  const names = [...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
  const more = [...new Set(names)].filter((name) => !declared.has(name));
  return [...params, ...more.map((name) => ({ name, in: 'path' }))];
}
