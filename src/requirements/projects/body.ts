// The body of `POST /projects`: JSON with the sources in it, or a form with a file for each.
import { createHash } from 'node:crypto';
import { invalid } from '../../errors.ts';
import { bodyOf, parseJson, readJson } from '../../http/api/body.ts';
import { MULTIPART_LIMITS, readMultipart } from '../../http/files/multipart.ts';
import { storable } from '../../model/storable.ts';
import { compileCheck } from '../../model/validate.ts';
import type { ImportFile } from '../import/read-sources.ts';
import { eachOnce, sourcePath } from '../import/source-path.ts';
import type { SourceFormat } from '../sources/model.ts';
import {
  MAX_SOURCES,
  ProjectBody,
  ProjectFields,
  ProjectForm,
  type ProjectInput,
} from './model.ts';

export interface ProjectRequest {
  project: ProjectInput;
  /** Undefined where the body has none. */
  sources: ImportFile[] | undefined;
}

/** A form that was read: what stands in its parts, not yet checked. */
class Form {
  project: unknown;
  readonly files: { path: string; bytes: Uint8Array }[] = [];
}

export function unchecked(body: unknown): Record<string, unknown> {
  const fields = body instanceof Form ? body.project : body;
  return typeof fields === 'object' && fields !== null ? { ...fields } : {};
}

const checkFields = compileCheck(ProjectFields);
const checkBody = storable(compileCheck(ProjectBody));

export const projectBody = bodyOf<ProjectRequest>({
  mediaTypes: ['application/json', 'multipart/form-data'],
  limitOf: (limits) => limits.importBytes,
  parse: (bytes, mediaType, request) =>
    mediaType === 'application/json'
      ? readJson(bytes)
      : readForm(bytes, request.headers.get('content-type') ?? ''),
  check(value) {
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
  },
  idempotencyFingerprint: (value) => (value instanceof Form ? partsOf(value) : undefined),
  schemas: { 'application/json': ProjectBody, 'multipart/form-data': ProjectForm },
});

/**
 * What a form says, whatever its boundary and the order of its parts: each time that a client sends it,
 * it makes another boundary.
 */
function partsOf({ project, files }: Form): string[] {
  const hashes = files.map(({ path, bytes }) =>
    JSON.stringify([path, createHash('sha256').update(bytes).digest('base64url')]),
  );
  return [JSON.stringify(project), ...hashes.sort()];
}

async function readForm(bytes: Uint8Array, contentType: string): Promise<Form> {
  const form = new Form();
  const limits = {
    ...MULTIPART_LIMITS,
    parts: MAX_SOURCES,
    fieldBytes: 1024 * 1024,
    totalBytes: bytes.byteLength,
  };
  for await (const part of readMultipart(once(bytes), contentType, limits)) {
    if (part.kind === 'field') {
      if (part.name === 'file')
        throw invalid('/file', 'has no filename: it is the path of the file');
      if (part.name !== 'project') throw invalid(`/${part.name}`, 'is not a field of this form');
      if (form.project !== undefined) throw invalid('/project', 'may be given once');
      form.project = parseJson(Buffer.from(part.value));
    } else if (part.name === 'project') {
      form.project = parseJson(await gather(part.chunks));
    } else form.files.push({ path: part.fileName ?? '', bytes: await gather(part.chunks) });
  }
  if (form.project === undefined) throw invalid('/project', 'is required');
  return form;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  // A part that came in one piece is not copied.
  return all.length === 1 && all[0] ? all[0] : Buffer.concat(all);
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
