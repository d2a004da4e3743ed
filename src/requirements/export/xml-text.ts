// Writes XML 1.0 so that a parser gives back each text unchanged, line ends and tabs included.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what XML 1.0 cannot hold.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Text of an element, with U+FFFD for each character that XML 1.0 cannot hold. */
export function escapeText(text: string): string {
  return text.replace(FORBIDDEN, '\ufffd').replace(/[&<>\r]/g, (char) => ESCAPES[char] ?? char);
}

function escapeAttribute(text: string): string {
  return text
    .replace(FORBIDDEN, '\ufffd')
    .replace(/[&<>"\t\n\r]/g, (char) => ESCAPES[char] ?? char);
}

/** An element with a new line behind it, without attributes that are undefined; `inside` is XML. */
export function element(
  name: string,
  attributes: Record<string, string | undefined>,
  ...inside: string[]
): string {
  let head = name;
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) head += ` ${key}="${escapeAttribute(value)}"`;
  }
  const text = inside.join('');
  return text === '' ? `<${head}/>\n` : `<${head}>${text}</${name}>\n`;
}
