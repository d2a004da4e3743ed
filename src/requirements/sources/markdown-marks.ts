// Marks around whole values of fields of a Markdown source, which are no part of them.

/** Emphasis or code around all of a value. */
const MARKED = [
  /^(?<mark>\*{1,3})(?=[^\s*])(?<inner>[^*]*[^*\s])\k<mark>$/,
  /^(?<mark>_{1,3})(?=[^\s_])(?<inner>(?:[^_]|(?<=\w)_(?=\w))+)\k<mark>$/,
  /^`(?<inner>[^`]+)`$/,
];
const SPANS = /^`[^`]+`(?:(?:\s*[,;]\s*|\s+)`[^`]+`)+$/;
const MOST_DEPTH = 3;
/** What is longer is a sentence. */
const MOST = 500;

/** A value without emphasis or marks of code around the whole of it. */
export function withoutMarks(text: string): string {
  if (text.length > MOST) return text;
  let value = text;
  for (let depth = 0; depth < MOST_DEPTH; depth++) {
    const inner = MARKED.map((pattern) => pattern.exec(value)?.groups?.inner).find(Boolean);
    if (inner === undefined) break;
    value = inner.trim();
  }
  return value === '' ? text : value;
}

/** The texts of a row of several code spans with nothing but spaces and commas between them; null for other text. */
export function codeSpans(text: string): string[] | null {
  if (!SPANS.test(text)) return null;
  return text.match(/[^`]+(?=`)/g)?.filter((_, at) => at % 2 === 0) ?? null;
}
