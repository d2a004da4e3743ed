// Small ReqIF documents for tests, from the parts that a test is about.
import type {
  SourceFile,
  SourceFinding,
  SourceResult,
} from '../../src/requirements/sources/model.ts';
import { readReqif } from '../../src/requirements/sources/reqif/reader.ts';

const NAMESPACE = 'http://www.omg.org/spec/ReqIF/20110401/reqif.xsd';

/** What a document has; each part is the content of its element. */
export interface ReqifParts {
  prolog?: string;
  namespace?: string;
  types?: string;
  objects?: string;
  relations?: string;
  specifications?: string;
  groups?: string;
  extensions?: string;
}

/** The type `T` with ReqIF.ForeignID (`id`), ReqIF.ChapterName (`chapter`) and ReqIF.Text (`text`). */
export const OBJECT_TYPE = [
  '<SPEC-OBJECT-TYPE IDENTIFIER="T" LONG-NAME="Requirement"><SPEC-ATTRIBUTES>',
  definition('STRING', 'id', 'ReqIF.ForeignID'),
  definition('STRING', 'chapter', 'ReqIF.ChapterName'),
  definition('XHTML', 'text', 'ReqIF.Text'),
  '</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE><SPECIFICATION-TYPE IDENTIFIER="ST"/>',
].join('');

/** A document of 20110401 with datatypes `d-STRING`, `d-XHTML` and so on. */
export function reqifText(parts: ReqifParts): string {
  const kinds = ['BOOLEAN', 'INTEGER', 'REAL', 'STRING', 'DATE', 'ENUMERATION', 'XHTML'];
  const datatypes = kinds.map((kind) => `<DATATYPE-DEFINITION-${kind} IDENTIFIER="d-${kind}"/>`);
  return `${parts.prolog ?? '<?xml version="1.0" encoding="UTF-8"?>\n'}<REQ-IF xmlns="${parts.namespace ?? NAMESPACE}" xmlns:xhtml="http://www.w3.org/1999/xhtml">
<CORE-CONTENT><REQ-IF-CONTENT><DATATYPES>${datatypes.join('')}</DATATYPES>
<SPEC-TYPES>${parts.types ?? OBJECT_TYPE}</SPEC-TYPES>
<SPEC-OBJECTS>${parts.objects ?? ''}</SPEC-OBJECTS>
<SPEC-RELATIONS>${parts.relations ?? ''}</SPEC-RELATIONS>
<SPECIFICATIONS>${parts.specifications ?? ''}</SPECIFICATIONS>
<SPEC-RELATION-GROUPS>${parts.groups ?? ''}</SPEC-RELATION-GROUPS>
</REQ-IF-CONTENT></CORE-CONTENT>${parts.extensions ?? ''}</REQ-IF>`;
}

/** {@link reqifText} as the one file of a source set. */
export function reqifFile(parts: ReqifParts, path = 'a.reqif'): SourceFile[] {
  return [{ path, bytes: new TextEncoder().encode(reqifText(parts)) }];
}

/** What is read of documents; without the one finding on what is of no weight. */
export function readSmallReqif(files: readonly SourceFile[]): SourceResult {
  const result = readReqif(files);
  const isTrivial = ({ code, severity }: SourceFinding) =>
    code === 'not_kept' && severity === 'info';
  return { ...result, findings: result.findings.filter((one) => !isTrivial(one)) };
}

/** The definition of an attribute. */
export function definition(kind: string, identifier: string, name: string, inside = ''): string {
  return `<ATTRIBUTE-DEFINITION-${kind} IDENTIFIER="${identifier}" LONG-NAME="${name}"><TYPE><DATATYPE-DEFINITION-${kind}-REF>d-${kind}</DATATYPE-DEFINITION-${kind}-REF></TYPE>${inside}</ATTRIBUTE-DEFINITION-${kind}>`;
}

/** A value: of XHTML its content, of the others THE-VALUE. */
export function value(kind: string, identifier: string, said: string): string {
  const of = `<DEFINITION><ATTRIBUTE-DEFINITION-${kind}-REF>${identifier}</ATTRIBUTE-DEFINITION-${kind}-REF></DEFINITION>`;
  return kind === 'XHTML'
    ? `<ATTRIBUTE-VALUE-XHTML>${of}<THE-VALUE>${said}</THE-VALUE></ATTRIBUTE-VALUE-XHTML>`
    : `<ATTRIBUTE-VALUE-${kind} THE-VALUE="${said}">${of}</ATTRIBUTE-VALUE-${kind}>`;
}

/** An object of a type. */
export function object(identifier: string, values = '', type = 'T'): string {
  return `\n<SPEC-OBJECT IDENTIFIER="${identifier}"><VALUES>${values}</VALUES><TYPE><SPEC-OBJECT-TYPE-REF>${type}</SPEC-OBJECT-TYPE-REF></TYPE></SPEC-OBJECT>`;
}

/** A place of an object with the places below it. */
export function place(identifier: string, ...children: string[]): string {
  const below = children.length === 0 ? '' : `<CHILDREN>${children.join('')}</CHILDREN>`;
  return `\n<SPEC-HIERARCHY IDENTIFIER="p-${identifier}"><OBJECT><SPEC-OBJECT-REF>${identifier}</SPEC-OBJECT-REF></OBJECT>${below}</SPEC-HIERARCHY>`;
}

/** A specification of the type `ST`. */
export function specification(identifier: string, ...children: string[]): string {
  return `\n<SPECIFICATION IDENTIFIER="${identifier}" LONG-NAME="${identifier}"><TYPE><SPECIFICATION-TYPE-REF>ST</SPECIFICATION-TYPE-REF></TYPE><CHILDREN>${children.join('')}</CHILDREN></SPECIFICATION>`;
}

/** A relation; an end left empty is not written. */
export function relation(identifier: string, type: string, source: string, target: string): string {
  const end = (name: string, ref: string) =>
    ref === '' ? '' : `<${name}><SPEC-OBJECT-REF>${ref}</SPEC-OBJECT-REF></${name}>`;
  return `\n<SPEC-RELATION IDENTIFIER="${identifier}"><TYPE><SPEC-RELATION-TYPE-REF>${type}</SPEC-RELATION-TYPE-REF></TYPE>${end('SOURCE', source)}${end('TARGET', target)}</SPEC-RELATION>`;
}
