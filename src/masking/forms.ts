// The forms in which a secret turns up in reports and logs: as it is, line by line, as hex, within base64, and
// as a whole the way the usual tools write it in URLs, JSON, XML and HTML.

/** Characters of the shortest that is masked: a shorter one would be found in half of all words. */
export const MIN_MASKED = 6;
const MIN_LINE = 8;

/** The texts of which none may be seen: a secret, and of one with several lines each long one. */
export function maskedTexts(secret: string): string[] {
  if (secret.length < MIN_MASKED) return [];
  // A newline at its end, as files have it, is rarely shown with it.
  const core = secret.trim();
  const lines = core.split(/\r\n|\r|\n/);
  const several =
    lines.length === 1
      ? []
      : [
          lines.join('\n'),
          lines.join('\r\n'),
          ...lines.map((line) => line.trim()).filter((line) => line.length >= MIN_LINE),
        ];
  return [...new Set([secret, core, ...several].filter(isMasked))];
}

const isMasked = (text: string) => text.length >= MIN_MASKED;

/** A text as it is and encoded, digits of encodings in either case. */
export function formsOf(text: string): string[] {
  const hex = Buffer.from(text).toString('hex');
  const encoded = [...inUrls(text, hex), ...inJson(text), ...inXml(text)];
  const inCases = encoded.flatMap((form) => [
    form,
    form.replace(CODED, (code) => code.toLowerCase()),
    form.replace(CODED, (code) => code.replace(/[0-9a-f]+/, (digits) => digits.toUpperCase())),
  ]);
  return [...new Set([text, hex, hex.toUpperCase(), ...base64Of(text), ...inCases])];
}

const CODED = /%[0-9a-f]{2}|\\u[0-9a-f]{4}|&#x[0-9a-f]+;/gi;

/** As browsers, forms, RFC 3986, JavaScript and Python encode it, and with each byte encoded. */
function inUrls(text: string, hex: string): string[] {
  const url = new URL('https://h/');
  Object.assign(url, { password: text, pathname: text, search: text });
  const component = encodeURIComponent(text.toWellFormed());
  const strict = component.replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  return [
    ...[component, strict].flatMap((one) => [one, one.replaceAll('%20', '+')]),
    strict.replaceAll('%2F', '/'),
    encodeURI(text.toWellFormed()),
    new URLSearchParams([['', text]]).toString().slice(1),
    ...[url.password, url.pathname.slice(1), url.search.slice(1)],
    hex.replace(/../g, '%$&'),
  ].filter(isMasked);
}

/** As JavaScript, Go, Python and PHP write it (RFC 8259, 7), and with each unit escaped. */
function inJson(text: string): string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const ascii = unitsOf(plain, /[^\0-\x7f]/g);
  const safe = unitsOf(plain, /[&<>]/g);
  return [plain, safe, ascii, ascii.replaceAll('/', '\\/'), unitsOf(text, /./gs)];
}

function unitsOf(text: string, which: RegExp): string {
  return text.replace(which, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** In texts and attributes, in ASCII, and with a reference for each character. */
function inXml(text: string): string[] {
  const inText = text.replace(/[&<>]/g, (one) => ENTITIES[one] ?? one);
  const quoted = inText.replaceAll('"', '&quot;');
  const others = /['\n\r\t]|[^\0-\x7f]/gu;
  return [
    ...[inText, quoted, quoted.replaceAll("'", '&apos;')],
    ...[10, 16].flatMap((radix) => [
      referencesOf(quoted, /'/g, radix),
      referencesOf(quoted, others, radix),
      referencesOf(quoted.replaceAll("'", '&apos;'), others, radix),
      referencesOf(text, /./gsu, radix),
    ]),
  ];
}

function referencesOf(text: string, which: RegExp, radix: number): string {
  return text.replace(which, (one) => {
    const code = one.codePointAt(0) ?? 0;
    return radix === 16 ? `&#x${code.toString(16)};` : `&#${code};`;
  });
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
