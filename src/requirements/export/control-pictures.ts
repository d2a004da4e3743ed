// Control characters in texts that are drawn.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what cannot be shown.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/**
 * The text with the picture that Unicode has of each control character but the tab and the new line,
 * so that different texts stay different, and U+FFFD for what is no character.
 */
export function withPictures(text: string): string {
  return text.replace(CONTROLS, pictureOf).replace(/[\ufffe\uffff]/g, '\ufffd');
}

function pictureOf(control: string): string {
  return control === '\u007f' ? '\u2421' : String.fromCharCode(0x2400 + control.charCodeAt(0));
}
