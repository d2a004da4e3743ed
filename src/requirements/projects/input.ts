// What is sent of a project: JSON with the sources in it, or a form with a file for each.
import { createHash } from 'node:crypto';
import type { Static } from '@sinclair/typebox';
import { invalid } from '../../errors.ts';
import { compileCheck, storable } from '../../model/validate.ts';
import type { ImportFile } from '../import/read-sources.ts';
import { eachOnce, sourcePath } from '../import/source-path.ts';
import { ProjectBody, ProjectFields, type ProjectInput, type SourceInput } from './model.ts';

export interface ProjectRequest {
  project: ProjectInput;
  /** Undefined where the body has none. */
  sources: ImportFile[] | undefined;
}

/** A body that was read and is not yet checked; `files` are those of a form. */
export interface ProjectParts {
  project: unknown;
  files?: { path: string; bytes: Uint8Array }[];
}

const checkFields = compileCheck(ProjectFields);
const checkBody = storable(compileCheck(ProjectBody));

/** @throws Problem `invalid` */
export function checkProject(parts: unknown): ProjectRequest {
  const { project: fields, files } = parts as ProjectParts;
  if (files) {
    const project = checkFields(fields);
    if (files.length === 0) throw invalid('/file', 'a form needs at least one file');
    const sources = files.map(({ path, bytes }, at) => ({
      path: sourcePath(`/file/${at}`, path),
      bytes,
      format: null,
    }));
    return { project, sources: eachOnce(sources, (at) => `/file/${at}`) };
  }
  const { sources, ...project } = checkBody(fields);
  const read = sources?.map(readSource);
  return { project, sources: read && eachOnce(read, (at) => `/sources/${at}/path`) };
}

/**
 * What a form says, whatever its boundary and the order of its parts: each time that a client sends
 * it, it makes another boundary.
 */
export function fingerprintOf(parts: unknown): string[] | undefined {
  const { project, files } = parts as ProjectParts;
  const hashes = files?.map(({ path, bytes }) =>
    JSON.stringify([path, createHash('sha256').update(bytes).digest('base64url')]),
  );
  return hashes && [JSON.stringify(project), ...hashes.sort()];
}

function readSource(source: Static<typeof SourceInput>, at: number): ImportFile {
  const { path, format = null, content, contentBase64, textAttribute } = source;
  const pointer = `/sources/${at}`;
  if ((content === undefined) === (contentBase64 === undefined))
    throw invalid(`${pointer}/content`, 'is required, or contentBase64, and not both');
  const bytes = Buffer.from(
    content ?? contentBase64 ?? '',
    content === undefined ? 'base64' : 'utf8',
  );
  const digits = contentBase64?.replace(/=+$/, '');
  if (digits !== undefined && bytes.toString('base64').replace(/=+$/, '') !== digits)
    throw invalid(`${pointer}/contentBase64`, 'is not base64');
  return { path: sourcePath(`${pointer}/path`, path), format, bytes, textAttribute };
}
