// The parameters of an operation: its own and those of its path.
import type { RouteParam } from '../model.ts';
import { type Library, memberOf, type Node, textIn } from './library.ts';

const PARAM_CONTENT = 20;
const MAX_PARAMS = 300;
const MAX_TYPES = 20;

const PLACES = ['path', 'query', 'querystring', 'header', 'cookie', 'body', 'formData'];

export function withParams(
  before: readonly RouteParam[],
  owner: Node,
  library: Library,
): RouteParam[] {
  const given = memberOf(owner, 'parameters');
  const list = given && library.resolve(given);
  if (given && list && list.part.kind !== 'list') given.part.kept = list.part.kind === 'null';
  const params = new Map(before.map((param) => [`${param.in} ${param.name}`, param]));
  const items = list?.part.kind === 'list' ? list.part.parts : [];
  for (const part of items.slice(0, MAX_PARAMS)) {
    library.left -= PARAM_CONTENT;
    if (library.left < 0) break;
    const item = { path: list?.path ?? owner.path, part };
    const param = readParam(item, library);
    if (param) params.set(`${param.in} ${param.name}`, param);
  }
  if (given && params.size > MAX_PARAMS)
    library.report('limit_exceeded', given, `Only the first ${MAX_PARAMS} parameters are kept.`);
  return [...params.values()].slice(0, MAX_PARAMS);
}

/** A parameter; null for what is none, which is not kept. */
function readParam(item: Node, library: Library): RouteParam | null {
  const node = library.resolve(item);
  item.part.kept = true;
  if (!node) return null;
  const name = textIn(node, 'name');
  const place = textIn(node, 'in');
  if (!name?.part.text || !place || !PLACES.includes(place.part.text)) {
    library.report('invalid_value', node, 'A parameter has no name, or no place that there is.');
    return null;
  }
  library.name(node, 'parameter');
  const param: RouteParam = { name: library.cut(name), in: place.part.text };
  const type = typeOf(node, library);
  if (type !== null) param.type = type;
  return param;
}

/** The type of a parameter: its own in 2.0, that of its schema in 3.x, the first one that is not null. */
function typeOf(param: Node, library: Library): string | null {
  const given = memberOf(param, 'schema');
  const schema = given ? library.resolve(given) : param;
  const type = schema && memberOf(schema, 'type');
  if (!schema || !type) return null;
  if (schema !== param) library.name(schema, 'schema');
  const types = type.part.kind === 'list' ? type.part.parts.slice(0, MAX_TYPES) : [type.part];
  const found = types.find(({ kind, text }) => kind === 'text' && text !== 'null');
  for (const one of types) if (one === found || one.text === 'null') one.kept = true;
  if (!found) return null;
  return library.cut({ path: type.path, part: found });
}
