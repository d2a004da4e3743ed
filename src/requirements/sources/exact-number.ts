// Numbers of more digits than a number of JavaScript holds: they would be other numbers without a word.

/**
 * The number that a text in decimal notation says.
 *
 * @returns undefined where it would be another one, or none: then the text says more
 */
export function exactNumber(text: string): number | undefined {
  const number = Number(text);
  if (!Number.isFinite(number)) return undefined;
  if (/^-?\d{1,15}$/.test(text)) return number;
  return decimalOf(String(number)) === decimalOf(text) ? number : undefined;
}

const DECIMAL = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/;

/** A number in the one way of all in which it can be written; undefined for what is none. */
function decimalOf(text: string): string | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = whole + fraction;
  if (digits === '') return undefined;
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start += 1;
  if (start === end) return '0';
  while (digits[end - 1] === '0') end -= 1;
  const scale = Number(exponent) - fraction.length + digits.length - end;
  return `${sign === '-' ? '-' : ''}${digits.slice(start, end)}e${scale}`;
}
