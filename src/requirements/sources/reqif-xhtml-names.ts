// The elements and attributes of XHTML, by what becomes of them in plain text.

/** Elements that an empty line sets apart. */
export const PARAGRAPHS: ReadonlySet<string> = new Set('p h1 h2 h3 h4 h5 h6 blockquote'.split(' '));

/** Elements that begin a line. */
export const BLOCKS: ReadonlySet<string> = new Set(
  'div ul ol dl dt dd li pre address hr table caption thead tbody tfoot tr'.split(' '),
);

/** Elements that say nothing of a text that is all there is in them. */
export const WRAPPERS: ReadonlySet<string> = new Set(['div', 'p', 'span']);

/** Elements whose text is no longer part of the text. */
export const DELETED: ReadonlySet<string> = new Set(['del', 's', 'strike']);

/** Elements of which nothing is made but of the text in them. */
export const UNSHOWN: ReadonlySet<string> = new Set(
  'area embed iframe input param source track'.split(' '),
);

/** Elements of MathML that say by their places what a text cannot show. */
export const PLACED: ReadonlySet<string> = new Set(
  'menclose mfenced mmultiscripts mover mroot msqrt msubsup mtable munder munderover'.split(' '),
);

/** Elements in which no text is to be read. */
export const CODE: ReadonlySet<string> = new Set(['script', 'style']);

/**
 * Attributes that only say how something looks, in which language it is, or what it is called within
 * the document.
 */
export const FORMATTING: ReadonlySet<string> = new Set(
  'align background bgcolor border cellpadding cellspacing char charoff class clear color compact dir face frame height hspace id lang noshade nowrap rules size style valign vspace width xml:id xml:lang xml:space'.split(
    ' ',
  ),
);

/** By element, further ones. */
export const FORMATTING_OF: ReadonlyMap<string, string> = new Map([
  ['a', 'name'],
  ['li', 'type'],
  ['ul', 'type'],
]);

/** By element, the attributes that are in its text. */
export const SHOWN: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['a', new Set(['href'])],
  ['img', new Set(['alt', 'src'])],
  ['li', new Set(['value'])],
  ['object', new Set(['data', 'name', 'type'])],
  ['ol', new Set(['start'])],
]);
