// How bodies are read: content type and coding, UTF-8 and JSON, all strict.
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { invalid, Problem, tooLarge } from '../../errors.ts';
import { type Limits, NO_LENGTH } from '../../limits.ts';
import { type StandardSchema, standardSchema } from '../../model/schemas.ts';
import { compileCheck, refuseUnstorable, storable } from '../../model/validate.ts';

/** A reader as the `body` of a route. */
export type Body<T> = BodyReader<T> & StandardSchema<T, Promise<{ value: T }>>;

export interface BodyReader<T> {
  mediaTypes: readonly string[];
  /** Bytes at most. */
  limitOf(limits: Limits, mediaType: string): number;
  /** Makes a value of the whole body, or null where the handler reads the stream itself. */
  parse: ((bytes: Uint8Array, mediaType: string, request: Request) => unknown) | null;
  /** What makes two values the same request, where that is not their bytes: undefined elsewhere. */
  idempotencyFingerprint?: (value: unknown) => readonly string[] | undefined;
  /** Checks the value. @throws Problem `invalid` */
  check: (value: unknown, limits: Limits) => T;
  /** For the API document, by media type. */
  schemas: Record<string, TSchema>;
}

export type ReadBody = (reader: BodyReader<unknown>) => Promise<unknown>;

export function bodyOf<T>(reader: BodyReader<T>): Body<T> {
  const made: Body<T> = {
    ...reader,
    ...standardSchema<T, Promise<{ value: T }>>(async (read) => ({
      value: (await (read as ReadBody)(made)) as T,
    })),
  };
  return made;
}

export function jsonBody<S extends TSchema>(schema: S): Body<Static<S>> {
  return bodyOf({
    mediaTypes: ['application/json'],
    limitOf: (limits) => limits.jsonBodyBytes,
    parse: readJson,
    check: storable(compileCheck(schema)),
    schemas: { 'application/json': schema },
  });
}

/** A JSON Merge Patch (RFC 7396), under its own media type or as JSON. */
export function mergePatchBody<S extends TSchema>(schema: S): Body<Static<S>> {
  return bodyOf({
    ...jsonBody(schema),
    mediaTypes: ['application/json', 'application/merge-patch+json'],
    schemas: { 'application/json': schema, 'application/merge-patch+json': schema },
  });
}

/** Entries of one schema: a JSON object, a JSON array of them, or NDJSON with one a line. */
export function entriesBody<S extends TSchema>(
  entry: S,
  most: (limits: Limits) => number,
): Body<Static<S>[]> {
  const check = compileCheck(entry);
  return bodyOf({
    mediaTypes: ['application/json', 'application/x-ndjson'],
    limitOf: (limits, mediaType) =>
      mediaType === 'application/json' ? limits.jsonBodyBytes : limits.ndjsonBytes,
    parse: (bytes, mediaType) =>
      mediaType === 'application/json' ? readJson(bytes) : parseLines(bytes),
    check: storable((value, limits: Limits) => {
      if (!Array.isArray(value)) return [check(value)];
      if (value.length > most(limits))
        throw invalid('', `may have at most ${most(limits)} entries`);
      return value.map((item, index) => under(`/${index}`, () => check(item)));
    }),
    schemas: {
      'application/json': Type.Union([entry, Type.Array(entry)]),
      'application/x-ndjson': entry,
    },
  });
}

export function streamBody(
  schemas: Record<string, TSchema>,
  limitOf: (limits: Limits) => number,
): Body<undefined> {
  return bodyOf({
    mediaTypes: Object.keys(schemas),
    limitOf,
    parse: null,
    check: () => undefined,
    schemas,
  });
}

/** The media type of a request, lower case and without parameters; empty where there is none. */
export function mediaTypeOf(request: Request): string {
  const header = request.headers.get('content-type') ?? '';
  const end = header.indexOf(';');
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
}

/** The media type by which a body is read. @throws Problem `unsupported_media_type`, `too_large` */
export function acceptBody(request: Request, reader: BodyReader<unknown>, limits: Limits): string {
  const encoding = request.headers.get('content-encoding');
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
    throw new Problem('unsupported_media_type', 'A body with a content coding is not taken.');
  }
  const mediaType = mediaTypeOf(request);
  const length = Number(request.headers.get('content-length') ?? NO_LENGTH);
  const accepted = reader.mediaTypes.includes(mediaType) || reader.mediaTypes.includes('*/*');
  const limit = reader.limitOf(limits, accepted ? mediaType : (reader.mediaTypes[0] ?? ''));
  if (length > limit) throw tooLarge(limit);
  if (!accepted) {
    const detail = `The body must be ${reader.mediaTypes.join(' or ')}.`;
    const headers = { Accept: reader.mediaTypes.join(', ') };
    throw new Problem('unsupported_media_type', detail, { headers });
  }
  if (reader.parse) requireUtf8(request);
  return mediaType;
}

/** @throws Problem `unsupported_media_type` */
export function requireUtf8({ headers }: Request): void {
  const [, charset] =
    /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(headers.get('content-type') ?? '') ?? [];
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw new Problem('unsupported_media_type', 'The body must be in UTF-8.');
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws Problem `malformed_body`; `invalid` for members and texts that no field may have */
export function parseJson(bytes: Uint8Array): unknown {
  const value = readJson(bytes);
  refuseUnstorable(value);
  return value;
}

/** Strict JSON (RFC 8259) in UTF-8. @throws Problem `malformed_body` */
export function readJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  if (text.trim() === '') throw new Problem('malformed_body', 'The body is empty.');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Problem('malformed_body', 'The body is not JSON.', { cause });
  }
}

function parseLines(bytes: Uint8Array): unknown[] {
  const lines = decode(bytes).split('\n');
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [JSON.parse(line)];
    } catch (cause) {
      throw new Problem('malformed_body', `Line ${index + 1} is not JSON.`, { cause });
    }
  });
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new Problem('malformed_body', 'The body is not UTF-8.', { cause });
  }
}

function under<T>(prefix: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const errors = error.errors.map(({ pointer, detail }) => ({
      pointer: prefix + pointer,
      detail,
    }));
    throw new Problem(error.code, `${prefix}${error.message}`, { errors, cause: error });
  }
}
