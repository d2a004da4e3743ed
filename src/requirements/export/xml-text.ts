// Writes text into XML 1.0 so that a parser gives it back unchanged, line ends and tabs included.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what XML 1.0 cannot hold.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u;
const ALL_FORBIDDEN = new RegExp(FORBIDDEN.source, 'gu');

export function isXmlText(text: string): boolean {
  return !FORBIDDEN.test(text);
}

/** The text with U+FFFD for each character that XML 1.0 cannot hold. */
export function toXmlText(text: string): string {
  return isXmlText(text) ? text : text.replace(ALL_FORBIDDEN, '\ufffd');
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

export function escapeText(text: string): string {
  return toXmlText(text).replace(/[&<>\r]/g, (char) => ESCAPES[char] ?? char);
}

export function escapeAttribute(text: string): string {
  return toXmlText(text).replace(/[&<>"\t\n\r]/g, (char) => ESCAPES[char] ?? char);
}

export function attributeText(attributes: Record<string, string | undefined>): string {
  let text = '';
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) text += ` ${name}="${escapeAttribute(value)}"`;
  }
  return text;
}

/** JSON in which no character is one that XML 1.0 cannot hold. */
export function xmlSafeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16)}`,
  );
}
