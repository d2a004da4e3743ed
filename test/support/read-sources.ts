// Reading a source set in a test: formats that are not given are detected, as an import does.
import { readSources as read } from '../../src/requirements/import/read-sources.ts';
import { openDetector } from '../../src/requirements/sources/detect.ts';

export const readSources: typeof read = (files, ...others) => {
  const detect = openDetector(files);
  const formatted = files.map((file) => ({ ...file, format: file.format ?? detect(file) }));
  return read(formatted, ...others);
};
