// The parameters of an operation: its own, those of its path, and those of its template.
import type { RouteParam } from './model.ts';
import { keptText, loseOnce, type Reading, resolved } from './openapi-reading.ts';
import type { TreeNode } from './openapi-tree.ts';

/** What reading a parameter counts as. */
const PARAM_CONTENT = 20;
const MOST_PARAMS = 300;
/** Types of one parameter that are looked at. */
const MOST_TYPES = 20;

/** Where parameters go, of any version. */
const PLACES = ['path', 'query', 'querystring', 'header', 'cookie', 'body', 'formData'];

/** Parameters with those of a path or an operation, which take the place of others of their name. */
export function withParams(
  before: readonly RouteParam[],
  owner: TreeNode,
  named: string,
  reading: Reading,
): RouteParam[] {
  const given = owner.entries().get('parameters');
  const list = given && resolved(given.node, () => named, reading);
  if (list && list.kind !== 'list' && list.kind !== 'null') {
    loseOnce(given, owner.path, `\`parameters\` of ${named} is no list.`, reading);
  }
  const params = new Map(before.map((param) => [`${param.in} ${param.name}`, param]));
  const own = new Set<string>();
  const items = list?.items() ?? [];
  for (const [at, item] of items.slice(0, MOST_PARAMS).entries()) {
    const shown = () => `parameter ${at + 1} of ${named}`;
    reading.left -= PARAM_CONTENT;
    if (reading.left < 0) break;
    const param = readParam(item, shown, reading);
    if (!param) continue;
    const key = `${param.in} ${param.name}`;
    if (own.has(key)) noteRepeated(item, shown(), param, reading);
    own.add(key);
    params.set(key, param);
  }
  if (given && (items.length > MOST_PARAMS || params.size > MOST_PARAMS)) {
    const detail = `${named} has more than ${MOST_PARAMS} parameters: the first ones are kept.`;
    loseOnce(given, owner.path, detail, reading, 'too_much');
  }
  return [...params.values()].slice(0, MOST_PARAMS);
}

/** Notes a parameter that stands before in the same list, once for all that are it by reference. */
function noteRepeated(
  item: TreeNode,
  shown: string,
  { name, in: place }: RouteParam,
  { library, told }: Reading,
): void {
  if (told.has(item)) return;
  told.add(item);
  const detail = `The ${shown}, ${name.slice(0, 100)} in ${place}, stands before in the list: the last one holds.`;
  library.notes(item.path).lose('duplicate_field', item.line, detail);
}

/** A parameter; null, with a finding, for what is none. */
function readParam(item: TreeNode, shown: () => string, reading: Reading): RouteParam | null {
  const { library, told, unkept } = reading;
  const node = resolved(item, shown, reading);
  if (!node) return null;
  const lose = (detail: string) => {
    if (!told.has(item)) library.notes(item.path).lose('invalid_field', item.line, detail);
    told.add(item);
    return null;
  };
  const [name, place] = ['name', 'in'].map((key) => node.entries().get(key)?.node);
  if (!name?.text || !place?.text) {
    return lose(`The ${shown()} has no name or does not say where it goes.`);
  }
  if (!PLACES.includes(place.text)) {
    reading.left -= place.text.length;
    return lose(`The ${shown()} goes to no place of parameters: ${place.text.slice(0, 100)}`);
  }
  unkept.look('parameter', node);
  const what = () => `The name of ${shown()}`;
  const param: RouteParam = { name: keptText(name.text, what, name, reading), in: place.text };
  const type = typeOf(node, shown, reading);
  if (type !== null) param.type = type;
  return param;
}

/** The type of a parameter: its own in 2.0, that of its schema in 3.x, the first one that is not null. */
function typeOf(param: TreeNode, shown: () => string, reading: Reading): string | null {
  const given = param.entries().get('schema')?.node;
  const schema = given ? resolved(given, shown, reading) : param;
  if (!schema) return null;
  if (schema !== param) reading.unkept.look('schema', schema);
  const entry = schema.entries().get('type');
  if (!entry) return null;
  const { node } = entry;
  const types = node.kind === 'list' ? node.items() : [node];
  const others = types
    .slice(0, MOST_TYPES)
    .filter(({ kind, text }) => kind !== 'null' && text !== 'null');
  const at = others.findIndex(({ kind }) => kind === 'text');
  const [named] = at < 0 ? [] : others.splice(at, 1);
  if (others.length > 0 || types.length > MOST_TYPES)
    reading.unkept.add(entry, 'parameters beside the first');
  if (!named) return null;
  return keptText(named.text, () => `The type of ${shown()}`, named, reading);
}
