// The forms in which a secret turns up in reports and logs: as it is, line by line, and as the
// encodings that are usual there write it.

/** Characters of the shortest that is masked: a shorter one would be found in half of all words. */
export const MIN_MASKED = 6;
/** A line of a secret, or a form of it that has lost its ends, is masked from this length on. */
const PARTS_LEAST = 8;

const XML: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** The texts of which none may be seen: a secret, and of one with several lines each long one. */
export function maskedTexts(secret: string): string[] {
  if (secret.length < MIN_MASKED) return [];
  // A newline at its end, as files have it, is rarely shown with it.
  const core = secret.trim();
  const lines = core.split(/\r\n|\r|\n/);
  const apart = lines.length === 1 ? [] : lines.map((line) => line.trim()).filter(isPart);
  const joined = lines.length === 1 ? [] : [lines.join('\n'), lines.join('\r\n')];
  return [...new Set([secret, core, ...joined, ...apart].filter(isMasked))];
}

/** What to look for so that a secret is not seen, each form once; URLs have more of them. */
export function maskedForms(secret: string): string[] {
  const forms = maskedTexts(secret).flatMap((text) => [
    ...[text, ...encoded(text), ...hexOf(text)],
    ...base64Of(text),
  ]);
  return [...new Set(forms)];
}

const isMasked = (text: string) => text.length >= MIN_MASKED;
const isPart = (text: string) => text.length >= PARTS_LEAST;

function encoded(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const xml = [
    text.replace(/[&<>]/g, (one) => XML[one] ?? one),
    text.replace(/[&<>"]/g, (one) => XML[one] ?? one),
    text.replace(/[&<>"']/g, (one) => XML[one] ?? one),
    text.replace(/[&<>"']/g, (one) => (one === "'" ? '&#39;' : (XML[one] ?? one))),
  ];
  return [
    json,
    json.replaceAll('/', '\\/'),
    json.replace(/[^\x20-\x7e]/g, escapeUnit),
    ...xml,
    ...(/[\r\n]/.test(text) ? xml.flatMap(inAttribute) : []),
  ];
}

/** Line ends within an attribute are written as references (XML 1.0, 3.3.3). */
function inAttribute(xml: string): string[] {
  return [
    xml.replaceAll('\n', '&#10;').replaceAll('\r', '&#13;'),
    xml.replaceAll('\n', '&#xA;').replaceAll('\r', '&#xD;'),
  ];
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function hexOf(text: string): string[] {
  const hex = Buffer.from(text).toString('hex');
  return [hex, hex.toUpperCase()];
}

/** What base64 (RFC 4648) of any text has in it that holds this one: that depends on where it begins. */
function base64Of(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    // The characters whose six bits are all of this text.
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6)];
    return (['base64', 'base64url'] as const)
      .map((encoding) => whole.toString(encoding).slice(from, to))
      .filter(isMasked);
  });
}
