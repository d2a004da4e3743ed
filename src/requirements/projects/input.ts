// What is sent of a project: JSON with the sources in it, or a form with a file for each.
import { createHash } from 'node:crypto';
import { invalid } from '../../errors.ts';
import { storable } from '../../model/storable.ts';
import { compileCheck } from '../../model/validate.ts';
import type { ImportFile } from '../import/read-sources.ts';
import { eachOnce, sourcePath } from '../import/source-path.ts';
import type { SourceFormat } from '../sources/model.ts';
import { ProjectBody, ProjectFields, type ProjectInput } from './model.ts';

export interface ProjectRequest {
  project: ProjectInput;
  /** Undefined where the body has none. */
  sources: ImportFile[] | undefined;
}

/** A form that was read: what stands in its parts, not yet checked. */
export class Form {
  project: unknown;
  readonly files: { path: string; bytes: Uint8Array }[] = [];
}

export function unchecked(body: unknown): Record<string, unknown> {
  const fields = body instanceof Form ? body.project : body;
  return typeof fields === 'object' && fields !== null ? { ...fields } : {};
}

const checkFields = compileCheck(ProjectFields);
const checkBody = storable(compileCheck(ProjectBody));

/** @throws Problem `invalid` */
export function checkProject(value: unknown): ProjectRequest {
  if (value instanceof Form) {
    const project = checkFields(value.project);
    if (value.files.length === 0) throw invalid('/file', 'a form needs at least one file');
    const sources = value.files.map(({ path, bytes }, at) => ({
      path: sourcePath(`/file/${at}`, path),
      bytes,
      format: null,
    }));
    return { project, sources: eachOnce(sources, (at) => `/file/${at}`) };
  }
  const { sources, ...project } = checkBody(value);
  const read = sources?.map(readSource);
  return { project, sources: read && eachOnce(read, (at) => `/sources/${at}/path`) };
}

/**
 * What a form says, whatever its boundary and the order of its parts: each time that a client sends it,
 * it makes another boundary.
 */
export function fingerprintOf(value: unknown): string[] | undefined {
  if (!(value instanceof Form)) return undefined;
  const { project, files } = value;
  const hashes = files.map(({ path, bytes }) =>
    JSON.stringify([path, createHash('sha256').update(bytes).digest('base64url')]),
  );
  return [JSON.stringify(project), ...hashes.sort()];
}

interface SourceInput {
  path: string;
  format?: SourceFormat;
  content?: string;
  contentBase64?: string;
  textAttribute?: string;
}

function readSource(
  { path, format = undefined, content, contentBase64, textAttribute }: SourceInput,
  at: number,
): ImportFile {
  const pointer = `/sources/${at}`;
  if ((content === undefined) === (contentBase64 === undefined)) {
    throw invalid(`${pointer}/content`, 'is required, or contentBase64, and not both');
  }
  return {
    path: sourcePath(`${pointer}/path`, path),
    format: format ?? null,
    bytes: bytesOf(pointer, content, contentBase64),
    textAttribute,
  };
}

function bytesOf(
  pointer: string,
  content: string | undefined,
  base64: string | undefined,
): Uint8Array {
  if (base64 === undefined) return Buffer.from(content ?? '');
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== base64.replace(/=+$/, '')) {
    throw invalid(`${pointer}/contentBase64`, 'is not base64');
  }
  return bytes;
}
