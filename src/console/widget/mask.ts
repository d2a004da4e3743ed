// Takes secrets out of what a page tells, each replaced by `***` as the server does. The server masks
// the values that it lent; those of a page are known by their looks alone.
const INSTEAD = '***';
const SECRET_NAME =
  /pass|pwd|secret|token|key|auth|code|sess|sid|sig|jwt|csrf|xsrf|credential|state|nonce|otp|mail/i;
const MAX_VALUE = 40;
const MAX_ADDRESS = 2048;
const MIN_TYPED = 4;

const SECRETS: [RegExp, string][] = [
  [/\bpqrs_\w{8,}/g, INSTEAD],
  // JSON Web Tokens (RFC 7519): the first part is an object in base64url.
  [/\beyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g, INSTEAD],
  [
    /\b(?:gh[pousr]_|github_pat_|glpat-|xox[a-z]-|sk-|[srp]k_(?:live|test)_|AKIA|AIza)[\w-]{10,}/g,
    INSTEAD,
  ],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${INSTEAD}`],
  [
    /((?:passw\w{0,4}|pwd|secret|token|api[-_]?key|authorization|cookie|session\w{0,4}|otp)["']?\s*[:=]\s*["']?)[^\s"'&,;}]+/gi,
    `$1${INSTEAD}`,
  ],
  [/(:\/\/)[^\s/@]+@/g, `$1${INSTEAD}@`],
  [/(https?:\/\/[^\s?#"'<>]+)[?#][^\s"'<>):]*/g, `$1?${INSTEAD}`],
];

export function mask(text: string): string {
  return SECRETS.reduce((masked, [secret, instead]) => masked.replace(secret, instead), text);
}

/** A text of the page, masked and cut, without what stands in its inputs. */
export function clean(text: string, max: number): string {
  // Cut behind the mask too: half a secret does not look like one.
  let masked = text.slice(0, 4 * max);
  for (const value of typedValues()) masked = masked.replaceAll(value, INSTEAD);
  masked = mask(masked);
  return masked.length > max ? `${masked.slice(0, max - 1)}…` : masked;
}

function typedValues(): string[] {
  const inputs = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    'input,textarea',
  );
  return [...inputs]
    .filter(({ type }) => !/^(?:button|submit|reset|checkbox|radio|image)$/.test(type))
    .map(({ value }) => value)
    .filter((value) => value.length >= MIN_TYPED);
}

/** Where a request went: its path, and of its query the names. */
export function requestAddress(address: string): string {
  const url = new URL(address, document.baseURI);
  const names = new Set(url.searchParams.keys());
  return assembled(url, [...names].map((name) => `${name}=`).join('&')).slice(0, MAX_ADDRESS);
}

/** Where the page is: values of its query that may be secret are masked. */
export function pageAddress(address: string): string {
  const url = new URL(address);
  const query = [...url.searchParams].map(([name, value]) => {
    const hidden = SECRET_NAME.test(name) || value.length > MAX_VALUE;
    return `${name}=${hidden ? INSTEAD : mask(value)}`;
  });
  const fragment = /[=&]/.test(url.hash) ? `#${INSTEAD}` : url.hash;
  return (assembled(url, query.join('&')) + mask(fragment)).slice(0, MAX_ADDRESS);
}

function assembled({ protocol, origin, pathname }: URL, query: string): string {
  // The content of `data:` stands in its address; `blob:` names nothing outside the page.
  if (!/^https?:$/.test(protocol)) return protocol;
  return origin + mask(pathname) + (query && `?${query}`);
}
