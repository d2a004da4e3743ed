// Tells a file's media type from its first bytes. What a client claims is only a hint between
// kinds of text that a browser treats alike.

const UNKNOWN_MEDIA_TYPE = 'application/octet-stream';

const INLINE_SAFE =
  /^(?:image\/(?:a?png|jpeg|gif|webp|avif|bmp)|video\/(?:mp4|webm|ogg|quicktime)|audio\/[a-z0-9.+-]+|text\/plain)$/;

// Formats that are text all through, so that a signature in clean text does mean them; a picture's
// signature in clean text ("BM", "ID3") is a word.
const TEXT_FORMATS = /^(?:text\/.*|application\/(?:pdf|postscript|rtf))$/;

// From here on a head is taken to be cut, and its last character with it.
const CUT_HEAD_BYTES = 4096;

/**
 * Tells a media type from a file's beginning.
 * @param head the first bytes, 4 KiB where there are so many
 * @returns a media type in lower case without parameters; `application/octet-stream` where unknown
 */
export async function sniffMediaType(head: Uint8Array, name = '', claimed = ''): Promise<string> {
  const text = cleanText(head);
  const signature = await signatureType(head);
  if (text === undefined) return signature ?? UNKNOWN_MEDIA_TYPE;
  if (signature !== undefined && TEXT_FORMATS.test(signature)) return signature;
  return textType(text, name.toLowerCase(), claimed.toLowerCase());
}

/**
 * Whether a browser may show a file of this sniffed type within our origin: raster images, video,
 * audio and plain text; nothing that can hold a script.
 */
export function isInlineSafe(mediaType: string): boolean {
  return INLINE_SAFE.test(mediaType);
}

async function signatureType(head: Uint8Array): Promise<string | undefined> {
  // The byte order mark of UTF-16, which would pass for a frame of MPEG audio.
  if (head[0] === 0xff && head[1] === 0xfe) return undefined;
  try {
    // Loaded when a file first comes, for the sake of the start.
    const { fileTypeFromBuffer } = await import('file-type');
    return (await fileTypeFromBuffer(head))?.mime.split(';')[0]?.trim().toLowerCase();
  } catch {
    // A head cut within what the format's own reader wants to see.
    return undefined;
  }
}

// The head as text, or undefined where it has a binary byte (WHATWG MIME Sniffing section 4.6;
// ESC is none, for coloured logs) or is not UTF-8.
function cleanText(head: Uint8Array): string | undefined {
  for (const byte of head) {
    if (byte < 0x09 || byte === 0x0b || (byte > 0x0d && byte < 0x20 && byte !== 0x1b)) {
      return undefined;
    }
  }
  try {
    const stream = head.byteLength >= CUT_HEAD_BYTES;
    return new TextDecoder('utf-8', { fatal: true }).decode(head, { stream });
  } catch {
    return undefined;
  }
}

function textType(text: string, name: string, claimed: string): string {
  const start = text.trimStart();
  if (/^<(?:[!?]|[a-z][\w.:-]*(?:[\s/>]|$))/i.test(start)) return markupType(start);
  const json = /\.(?:json|har|webmanifest)$/.test(name) || /[/+]json(?:$|;)/.test(claimed);
  return json && /^[[{]/.test(start) ? 'application/json' : 'text/plain';
}

/** By the first element that a browser would take for a picture or a page; either is none to be shown. */
function markupType(text: string): string {
  const known = /<(?:!doctype\s+)?(?:[\w.-]+:)?(svg|html|head|body|script|iframe)[\s/>]/i;
  const name = known.exec(text)?.[1]?.toLowerCase();
  if (name === undefined) return 'application/xml';
  return name === 'svg' ? 'image/svg+xml' : 'text/html';
}
