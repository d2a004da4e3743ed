// Makes a valid OpenAPI 3.1 document of the one that is derived from the routes: what recurs
// becomes a component, schemas lose the keywords that only the checks know.
import { isObject, mapValues, publicSchema } from './schemas.ts';

type Json = Record<string, unknown>;

export interface ApiDocument {
  openapi: string;
  info: Json;
  servers: Json[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Json>>;
  components: Record<string, Record<string, Json>>;
}

const VERSION = '3.1.0';

/**
 * Finishes a document. A parameter, header or answer that carries `x-component`, and a schema that
 * carries a `title`, becomes a component of that name and is referred to.
 *
 * @param derived - plain JSON; it stays as it is
 * @throws Error when two different components have one name
 */
export function finishDocument(derived: ApiDocument): ApiDocument {
  const components = new Components();

  function parameter(value: unknown): Json {
    return components.extract('parameters', withSchema(value));
  }

  function answer(value: unknown): Json {
    const { headers, content, ...rest } = value as Json;
    return components.extract('responses', {
      ...rest,
      ...(isObject(headers) ? { headers: mapValues(headers, header) } : {}),
      ...(isObject(content) ? { content: mapValues(content, withSchema) } : {}),
    });
  }

  function header(value: unknown): Json {
    return components.extract('headers', withSchema(value));
  }

  function withSchema(value: unknown): Json {
    const keep = (name: string, one: Json) => components.keep('schemas', name, one);
    const holder = value as Json;
    return { ...holder, schema: publicSchema(holder.schema as Json, keep) };
  }

  function operation(value: Json): Json {
    const { parameters, requestBody, responses, ...rest } = value;
    const body = requestBody as { content: Json } | undefined;
    return {
      ...rest,
      ...(parameters === undefined ? {} : { parameters: (parameters as unknown[]).map(parameter) }),
      ...(body ? { requestBody: { ...body, content: mapValues(body.content, withSchema) } } : {}),
      responses: mapValues(responses as Json, answer),
    };
  }

  const paths = Object.entries(derived.paths).map(([path, operations]) => [
    path,
    mapValues(operations, (one) => operation(one as Json)),
  ]);
  const { info, servers, tags } = derived;
  return {
    openapi: VERSION,
    info,
    servers,
    tags,
    paths: Object.fromEntries(paths),
    components: { ...components.sorted(), ...kept(derived.components) },
  };
}

function kept(sections: ApiDocument['components']): ApiDocument['components'] {
  const held = Object.entries(sections).filter(([, section]) => Object.keys(section).length > 0);
  return Object.fromEntries(held);
}

class Components {
  #sections = new Map<string, Map<string, Json>>();

  /** Keeps a component; gives the reference to it. */
  keep(section: string, name: string, component: Json): Json {
    const named = this.#sections.get(section) ?? new Map<string, Json>();
    this.#sections.set(section, named);
    const known = named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component)) {
      throw new Error(`Two different components are named ${section}/${name}.`);
    }
    named.set(name, component);
    return { $ref: `#/components/${section}/${name}` };
  }

  /** Keeps what says that it is a component; anything else stays where it is. */
  extract(section: string, { 'x-component': name, ...component }: Json): Json {
    return typeof name === 'string' ? this.keep(section, name, component) : component;
  }

  sorted(): ApiDocument['components'] {
    const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
    const sections = [...this.#sections].sort(byName);
    return Object.fromEntries(
      sections.map(([section, named]) => [section, Object.fromEntries([...named].sort(byName))]),
    );
  }
}
