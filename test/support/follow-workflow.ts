// Follows a workflow of a handoff: a program that knows nothing of the service but that document
// and how Arazzo's runtime expressions are read.
import type { Answer } from './answer.ts';

interface Step {
  stepId: string;
  method: string;
  path: string;
  payload: unknown;
  outputs: Record<string, string>;
}

export interface Workflow {
  workflowId: string;
  inputs: { name: string; required: boolean }[];
  steps: Step[];
}

type Send = (
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
) => Promise<Answer>;

/**
 * Sends the requests of a workflow one after the other.
 *
 * @param inputs - by name; optional ones may be left out
 * @returns the outputs of each step
 * @throws when a request is refused
 */
export async function followWorkflow(
  { inputs: wanted, steps }: Workflow,
  inputs: Record<string, unknown>,
  send: Send,
): Promise<Record<string, Record<string, unknown>>> {
  const missing = wanted.filter(({ name, required }) => required && !(name in inputs));
  if (missing.length > 0) throw new Error(`inputs are missing: ${JSON.stringify(missing)}`);
  const known: Record<string, Record<string, unknown>> = {};
  for (const { stepId, method, path, payload, outputs } of steps) {
    const body = JSON.stringify(filled(payload, inputs, known));
    const answer = await send(method, path, { 'content-type': 'application/json' }, body);
    if (![200, 201].includes(answer.status))
      throw new Error(`${stepId} was answered ${answer.status}: ${answer.text}`);
    const read = Object.entries(outputs).map(([name, expression]) => {
      const [, pointer] = /^\$response\.body#(\/.*)$/.exec(expression) ?? [];
      if (pointer === undefined) throw new Error(`an output of an unknown form: ${expression}`);
      return [name, at(answer.json<unknown>(), pointer)];
    });
    known[stepId] = Object.fromEntries(read);
  }
  return known;
}

/** The payload with its runtime expressions put in; fields of inputs that are not given are left out. */
function filled(
  value: unknown,
  inputs: Record<string, unknown>,
  known: Record<string, Record<string, unknown>>,
): unknown {
  if (typeof value === 'string' && value.startsWith('$')) {
    const [, input] = /^\$inputs\.(\w+)$/.exec(value) ?? [];
    if (input !== undefined) return inputs[input];
    const [, step = '', output = ''] = /^\$steps\.(\w+)\.outputs\.(\w+)$/.exec(value) ?? [];
    const found = known[step]?.[output];
    if (found === undefined) throw new Error(`${value} is not known`);
    return found;
  }
  if (Array.isArray(value)) return value.map((one) => filled(one, inputs, known));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, filled(one, inputs, known)]),
  );
}

/** What a JSON pointer (RFC 6901) leads to. */
export function at(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, part) => (value as Record<string, unknown>)?.[part], document);
}
