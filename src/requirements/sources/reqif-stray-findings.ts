// The findings on what ReqIF has no place for, or the graph has none: each of them once a document.
import type { ReqifReport, Tally } from './reqif-report.ts';
import { times } from './reqif-report.ts';

/** Reports elements that are not read, by their names. */
export function tellElements(elements: Tally, report: ReqifReport): void {
  for (const [name, { line, times: count }] of elements.entries()) {
    const detail = `<${name.slice(0, 100)}> does not belong here in ReqIF (${times(count)}, first here); it was not read.`;
    report.lose('unknown_element', 'warning', line, detail);
  }
}

/** Reports attributes that are not read, by what each is of. */
export function tellAttributes(attributes: Tally, report: ReqifReport): void {
  for (const [what, { line, times: count }] of attributes.entries()) {
    const detail = `The attribute ${what} does not belong there in ReqIF (${times(count)}, first here); it was not read.`;
    report.lose('unknown_attribute', 'warning', line, detail);
  }
}

/** Reports text that is not read, by the names of the elements in which it stands. */
export function tellTexts(texts: Tally, report: ReqifReport): void {
  for (const [name, { line, times: count }] of texts.entries()) {
    const detail = `Text stands in <${name}>, where ReqIF has none (${times(count)}, first here); it was not read.`;
    report.lose('stray_text', 'warning', line, detail);
  }
}

/** Reports what is read and has no place in the graph, by its names. */
export function tellUnkept(unkept: Tally, report: ReqifReport): void {
  const found = [...unkept.entries()];
  if (found.length === 0) return;
  const names = found.map(([what, { times: count }]) => `${what} (${times(count)})`);
  const first = Math.min(...found.map(([, { line }]) => line));
  const detail = `This is not kept: ${names.join(', ')}.`;
  report.say('unread_details', 'info', first, detail);
}

/** Reports identifiers that no more is left of than what they stand for, by what has them. */
export function tellIdentifiers(identifiers: Tally, report: ReqifReport): void {
  const found = [...identifiers.entries()];
  if (found.length === 0) return;
  const parts = found.map(([part, { times: count }]) => `${part} (${count})`);
  const first = Math.min(...found.map(([, { line }]) => line));
  const detail = `What refers by them is read, but they are not kept: the IDENTIFIERs of ${parts.join(', ')}.`;
  report.say('unread_identifiers', 'info', first, detail);
}
