// The reader of each format: requirements, the scenarios of `gherkin` and the routes of `openapi`.
import { readDoorstop } from './doorstop/reader.ts';
import { readGherkin } from './gherkin/reader.ts';
import { readMarkdown } from './markdown/reader.ts';
import type { SourceFormat, SourceReader } from './model.ts';
import { readNeedsJson } from './needs-json/reader.ts';
import { readOpenapi } from './openapi/reader.ts';
import { readOpenFastTrace } from './openfasttrace/reader.ts';
import { readReqif } from './reqif/reader.ts';
import { readSrsJson } from './srs-json/reader.ts';
import { readStrictdoc } from './strictdoc/reader.ts';

export const READERS: Record<SourceFormat, SourceReader> = {
  doorstop: readDoorstop,
  strictdoc: readStrictdoc,
  'needs-json': readNeedsJson,
  reqif: readReqif,
  openfasttrace: readOpenFastTrace,
  gherkin: readGherkin,
  markdown: readMarkdown,
  'srs-json': readSrsJson,
  openapi: readOpenapi,
};
