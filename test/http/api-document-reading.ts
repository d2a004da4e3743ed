// Reads the API document as the tests look at it.
import type { ApiDocument } from '../../src/http/document/document.ts';

export interface Reference {
  $ref?: string;
}

export interface MediaType {
  schema?: Record<string, unknown>;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

export interface Answer extends Reference {
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, MediaType>;
}

export interface Parameter extends Reference {
  name?: string;
  in?: string;
  description?: string;
  schema?: { enum?: string[] };
}

export interface DocumentedOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  'x-capabilities': string[];
  parameters: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, MediaType> };
  responses: Record<string, Answer>;
}

export interface OperationEntry {
  method: string;
  path: string;
  operation: DocumentedOperation;
}

/** Every operation of a document. */
export function operationsOf(document: ApiDocument): OperationEntry[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: operation as unknown as DocumentedOperation,
    })),
  );
}

/** What a reference refers to; anything else as it is. */
export function follow<T extends Reference>(document: ApiDocument, value: T): T {
  if (value.$ref === undefined) return value;
  const [, , section = '', name = ''] = value.$ref.split('/');
  const found = document.components[section]?.[name];
  if (found === undefined) throw new Error(`The document has no ${value.$ref}.`);
  return found as T;
}
