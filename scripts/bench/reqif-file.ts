// A ReqIF file like those that tools exchange: indented, with identifiers as long as theirs, some
// attributes and a long XHTML text an object, enumerations, relations, a hierarchy.

/** What is in the file. */
export interface ReqifSize {
  objects: number;
  relations: number;
  /** What the texts fill it up to. */
  bytes: number;
}

const AT = ' LAST-CHANGE="2026-01-01T00:00:00Z"';
const STATES = ['proposed', 'agreed', 'in work', 'done', 'rejected'];
/** The attributes of an object: what defines each, of which kind it is, and its name. */
const ATTRIBUTES: readonly [key: string, kind: 'STRING' | 'XHTML' | 'ENUMERATION', name: string][] =
  [
    ['1', 'STRING', 'ReqIF.ForeignID'],
    ['2', 'STRING', 'ReqIF.ForeignCreatedBy'],
    ['3', 'STRING', 'Supplier'],
    ['4', 'ENUMERATION', 'Status'],
    ['5', 'ENUMERATION', 'Priority'],
    ['6', 'XHTML', 'ReqIF.ChapterName'],
    ['7', 'XHTML', 'ReqIF.Text'],
  ];
const SENTENCE =
  'When the driver presses the brake pedal, the controller shall close the valve within the time that the table gives &amp; note it.';

/**
 * Writes the file.
 *
 * @param seed - files of different seeds differ in their texts
 */
export function reqifFile({ objects, relations, bytes }: ReqifSize, seed = 0): string {
  const start = `${headText()}<SPEC-OBJECTS>\n`;
  const end = `${relationsText(objects, relations)}${hierarchyText(objects)}`;
  const each = Math.floor((bytes - start.length - end.length) / objects);
  const all = Array.from({ length: objects }, (_, at) => objectText(at, seed, each));
  return `${start}${all.join('')}</SPEC-OBJECTS>\n${end}`;
}

/** An identifier as tools make them. */
function idOf(sort: string, at: number | string): string {
  return `_${sort}${String(at).padStart(8, '0')}-4c1a-11ee-be56-0242ac120002`;
}

function headText(): string {
  const values = STATES.map(
    (name, at) =>
      `<ENUM-VALUE IDENTIFIER="${idOf('state', at)}"${AT} LONG-NAME="${name}"><PROPERTIES><EMBEDDED-VALUE KEY="${at}" OTHER-CONTENT=""/></PROPERTIES></ENUM-VALUE>\n`,
  );
  const datatypes = ['STRING', 'XHTML', 'ENUMERATION'].map((kind) => {
    const inside =
      kind === 'ENUMERATION' ? `<SPECIFIED-VALUES>${values.join('')}</SPECIFIED-VALUES>` : '';
    return `<DATATYPE-DEFINITION-${kind} IDENTIFIER="${idOf('type', kind)}"${AT} LONG-NAME="${kind}">${inside}</DATATYPE-DEFINITION-${kind}>\n`;
  });
  const definitions = ATTRIBUTES.map(
    ([key, kind, name]) =>
      `<ATTRIBUTE-DEFINITION-${kind} IDENTIFIER="${idOf('def', key)}"${AT} LONG-NAME="${name}"><TYPE><DATATYPE-DEFINITION-${kind}-REF>${idOf('type', kind)}</DATATYPE-DEFINITION-${kind}-REF></TYPE></ATTRIBUTE-DEFINITION-${kind}>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<REQ-IF xmlns="http://www.omg.org/spec/ReqIF/20110401/reqif.xsd" xmlns:xhtml="http://www.w3.org/1999/xhtml">
<THE-HEADER><REQ-IF-HEADER IDENTIFIER="_header"><CREATION-TIME>2026-01-01T00:00:00Z</CREATION-TIME>
<REQ-IF-TOOL-ID>bench</REQ-IF-TOOL-ID><REQ-IF-VERSION>1.0</REQ-IF-VERSION><SOURCE-TOOL-ID>bench</SOURCE-TOOL-ID><TITLE>Large</TITLE></REQ-IF-HEADER></THE-HEADER>
<CORE-CONTENT><REQ-IF-CONTENT><DATATYPES>${datatypes.join('')}</DATATYPES>
<SPEC-TYPES><SPEC-OBJECT-TYPE IDENTIFIER="_type"${AT} LONG-NAME="Requirement"><SPEC-ATTRIBUTES>${definitions.join('')}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE>
<SPEC-RELATION-TYPE IDENTIFIER="_link"${AT} LONG-NAME="refines"/>
<SPECIFICATION-TYPE IDENTIFIER="_spec"${AT} LONG-NAME="Specification"/></SPEC-TYPES>
`;
}

function relationsText(objects: number, relations: number): string {
  let text = '<SPEC-RELATIONS>\n';
  for (let at = 1; at <= relations; at += 1) {
    const source = Math.floor((at * objects) / (relations + 1));
    text += `<SPEC-RELATION IDENTIFIER="${idOf('link', at)}"${AT}>
  <TYPE><SPEC-RELATION-TYPE-REF>_link</SPEC-RELATION-TYPE-REF></TYPE>
  <SOURCE><SPEC-OBJECT-REF>${idOf('object', source)}</SPEC-OBJECT-REF></SOURCE>
  <TARGET><SPEC-OBJECT-REF>${idOf('object', Math.floor(source / 3))}</SPEC-OBJECT-REF></TARGET>
</SPEC-RELATION>\n`;
  }
  return `${text}</SPEC-RELATIONS>\n`;
}

function hierarchyText(objects: number): string {
  const places = Array.from(
    { length: objects },
    (_, at) =>
      `<SPEC-HIERARCHY IDENTIFIER="${idOf('place', at)}"${AT}><OBJECT><SPEC-OBJECT-REF>${idOf('object', at)}</SPEC-OBJECT-REF></OBJECT></SPEC-HIERARCHY>\n`,
  );
  return `<SPECIFICATIONS><SPECIFICATION IDENTIFIER="_s"${AT} LONG-NAME="Large"><TYPE><SPECIFICATION-TYPE-REF>_spec</SPECIFICATION-TYPE-REF></TYPE><CHILDREN>
${places.join('')}</CHILDREN></SPECIFICATION></SPECIFICATIONS></REQ-IF-CONTENT></CORE-CONTENT></REQ-IF>\n`;
}

function objectText(at: number, seed: number, bytes: number): string {
  const said: Record<string, string> = {
    ...{ 1: `REQ-${at}`, 2: `Author ${at % 7}`, 3: at % 3 === 0 ? 'Brakes &amp; Co' : '' },
    ...{ 4: idOf('state', at % 5), 5: idOf('state', at % 2), 6: `Chapter ${at}` },
  };
  const texts = ATTRIBUTES.flatMap(([key, kind]) =>
    key === '7' ? [] : [valueText(key, kind, said[key] ?? '')],
  );
  const head = `<SPEC-OBJECT IDENTIFIER="${idOf('object', at)}"${AT}>
  <TYPE>
    <SPEC-OBJECT-TYPE-REF>_type</SPEC-OBJECT-TYPE-REF>
  </TYPE>
  <VALUES>
${texts.join('')}`;
  let text = `<xhtml:p>Requirement ${at} of set ${seed}</xhtml:p>`;
  const room = bytes - head.length - valueText('7', 'XHTML', '').length - 40;
  for (let part = 0; text.length < room - 250; part += 1) {
    text +=
      part % 3 === 2
        ? `<xhtml:ul>\n<xhtml:li>${SENTENCE}</xhtml:li>\n<xhtml:li>in case <xhtml:b>${at}</xhtml:b></xhtml:li></xhtml:ul>`
        : `<xhtml:p>${SENTENCE} See ${at}.${part}.</xhtml:p>\n`;
  }
  text += `<xhtml:p>${'and so it is '.repeat(30).slice(0, Math.max(0, room - text.length))}</xhtml:p>`;
  return `${head}${valueText('7', 'XHTML', text)}  </VALUES>\n</SPEC-OBJECT>\n`;
}

function valueText(key: string, kind: 'STRING' | 'XHTML' | 'ENUMERATION', said: string): string {
  const definition = `      <DEFINITION>
        <ATTRIBUTE-DEFINITION-${kind}-REF>${idOf('def', key)}</ATTRIBUTE-DEFINITION-${kind}-REF>
      </DEFINITION>\n`;
  const name = `ATTRIBUTE-VALUE-${kind}`;
  if (kind === 'STRING') return `    <${name} THE-VALUE="${said}">\n${definition}    </${name}>\n`;
  const inside =
    kind === 'XHTML'
      ? `      <THE-VALUE>\n        <xhtml:div>${said}</xhtml:div>\n      </THE-VALUE>\n`
      : `      <VALUES>\n        <ENUM-VALUE-REF>${said}</ENUM-VALUE-REF>\n      </VALUES>\n`;
  return `    <${name}>\n${definition}${inside}    </${name}>\n`;
}
