// XHTML of ReqIF values as plain text.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { object, readSmallReqif, reqifFile, value } from '../../support/reqif-documents.ts';
import { sharedData } from '../../support/shared-data.ts';

/** The statement of an object whose text is this XHTML, with `<x:` for `<xhtml:`. */
function statement(content: string): string {
  const xhtml = content.replaceAll('<x:', '<xhtml:').replaceAll('</x:', '</xhtml:');
  const { items } = readSmallReqif(
    reqifFile({ objects: object('o', value('XHTML', 'text', xhtml)) }),
  );
  return items[0]?.statement ?? '';
}

test.each([
  ['white space folds', '<x:div>  a\n  b\t c </x:div>', 'a b c'],
  ['inline elements', '<x:p>a <x:b>b</x:b><x:i> c</x:i>d</x:p>', 'a b cd'],
  ['line breaks', '<x:div>a<x:br/>b <x:br/> c</x:div>', 'a\nb\nc'],
  ['many line breaks', '<x:div>a<x:br/><x:br/><x:br/>b</x:div>', 'a\n\nb'],
  ['paragraphs', '<x:div><x:p>a</x:p> <x:p>b</x:p></x:div>', 'a\n\nb'],
  ['divisions', '<x:div><x:div>a</x:div><x:div>b</x:div>c</x:div>', 'a\nb\nc'],
  ['headings', '<x:div><x:h1>a</x:h1>b</x:div>', 'a\n\nb'],
  ['a list', '<x:ul><x:li>a</x:li><x:li><x:p>b</x:p><x:p>c</x:p></x:li></x:ul>', '- a\n- b\n  c'],
  ['a numbered list', '<x:ol><x:li>a</x:li><x:li>b</x:li></x:ol>', '1. a\n2. b'],
  [
    'lists in lists',
    '<x:ul><x:li>a<x:ol><x:li>b</x:li></x:ol>c</x:li><x:li/><x:li>d</x:li></x:ul>',
    '- a\n  1. b\n  c\n- d',
  ],
  [
    'raised terms',
    '<x:p>a<x:sup>n+1</x:sup> x<x:sub>i + 1</x:sub> 10<x:sup>-3</x:sup></x:p>',
    'a^(n+1) x_(i + 1) 10^-3',
  ],
  [
    'what follows raised numbers',
    '<x:p>10<x:sup>3</x:sup>5 10<x:sup>35</x:sup> a<x:sup>b</x:sup>c</x:p>',
    '10^(3)5 10^35 a^(b)c',
  ],
  [
    'raised marks',
    '<x:p>a<x:sup>*</x:sup> b<x:sup><x:a href="#n">1</x:a></x:sup><x:sup/></x:p>',
    'a^* b^(1 (#n))',
  ],
  ['a list around a list', '<x:ul><x:li><x:ul><x:li>a</x:li></x:ul></x:li></x:ul>', '- - a'],
  ['definitions', '<x:dl><x:dt>a</x:dt><x:dd>b<x:br/>c</x:dd></x:dl>', 'a\n  b\n  c'],
  [
    'a table',
    '<x:table><x:tr><x:th>A</x:th><x:th>B</x:th></x:tr><x:tr><x:td>1<x:br/>2</x:td><x:td/></x:tr></x:table>',
    '| A | B |\n| --- | --- |\n| 1 / 2 | |',
  ],
  [
    'a table in a table',
    '<x:table><x:tr><x:td>a<x:table><x:tr><x:td>b</x:td><x:td>c</x:td></x:tr></x:table></x:td></x:tr></x:table>',
    '| a / b c |',
  ],
  [
    'a row without cells of its own',
    '<x:table><x:tr><x:b>a</x:b></x:tr><x:tr><x:form><x:td>b</x:td><x:td>c</x:td></x:form></x:tr></x:table>',
    '| a |\n| b c |',
  ],
  ['a row in no table', '<x:div>L <x:tr>not</x:tr> a</x:div>', 'L\n| not |\na'],
  ['kept white space', '<x:div>x<x:pre>a  b\n   c\n\nd</x:pre></x:div>', 'x\na  b\n   c\n\nd'],
  ['kept text after other', '<x:div> a<x:pre>  b </x:pre> </x:div>', 'a\n  b'],
  ['kept text before other', '<x:div><x:pre>  a </x:pre> b </x:div>', 'a \nb'],
  ['kept text that is blank', '<x:pre>  \n \n</x:pre>', ''],
  ['an image', '<x:p><x:img src="a/b.png" alt="A"/></x:p>', '[image: A, a/b.png]'],
  [
    'an object with a picture in its place',
    '<x:p><x:object data="a.ole" type="application/rtf" name="n"><x:object data="a.png" type="image/png">alt</x:object></x:object></x:p>',
    '[object: n, a.ole] [image: a.png] alt',
  ],
  ['an object without a name', '<x:p>a<x:object/></x:p>', 'a[object]'],
  ['links', '<x:p><x:a href="u:1">a</x:a> <x:a href="u:2">u:2</x:a></x:p>', 'a (u:1) u:2'],
  ['raised and lowered', '<x:p>10<x:sup>2</x:sup> H<x:sub>2</x:sub>O</x:p>', '10^2 H_2O'],
  ['comments and sections', '<x:p>a<!-- no -->b<![CDATA[<c>]]></x:p>', 'ab<c>'],
  ['what is not shown', '<x:p>a<x:script>no</x:script><x:style>no</x:style></x:p>', 'a'],
  ['text without an element', ' a <x:br/> b ', 'a\nb'],
  ['another namespace', '<y:z xmlns:y="urn:y">a</y:z>', 'a'],
  ['nothing', '<x:div> \u00a0</x:div>', ''],
  ['deleted text', '<x:p>limit is <x:del>10</x:del><x:ins>20</x:ins> bar</x:p>', 'limit is 20 bar'],
  [
    'deleted words',
    '<x:p>a <x:s>b </x:s>c<x:strike> d</x:strike> e<x:del> f</x:del>.</x:p>',
    'a c e.',
  ],
  ['deleted letters', '<x:p>colo<x:del>u</x:del>r</x:p>', 'color'],
  [
    'struck out text',
    '<x:div><x:span style="color: red; text-decoration: line-through">a</x:span><x:span style="text-decoration:underline">b</x:span></x:div>',
    'b',
  ],
  ['nothing but deleted text', '<x:div style="text-decoration:line-through">a</x:div>', ''],
  [
    'deleted items and cells',
    '<x:ul><x:li>a</x:li><x:li style="text-decoration:line-through">b</x:li></x:ul><x:table><x:tr><x:td style="text-decoration: line-through">c</x:td><x:td>d</x:td></x:tr></x:table>',
    '- a\n| | d |',
  ],
  [
    'a bar in a cell',
    '<x:table><x:tr><x:td>a|b</x:td><x:td>c</x:td></x:tr></x:table>',
    '| a\\|b | c |',
  ],
  ['style and markup', '<x:div style="white-space:pre">a  b<x:b>c</x:b></x:div>', 'a  bc'],
])('%s', (_, content, expected) => {
  expect(statement(content)).toBe(expected);
});

test('no word of a table is lost, wherever it stands [PQRS-9]', () => {
  const names = ['table', 'thead', 'tbody', 'tr', 'td', 'th', 'b', 'form', 'ul', 'li', 'p'];
  const { tree } = fc.letrec<{ tree: string; leaf: string }>((tie) => ({
    leaf: fc.integer({ min: 0, max: 1e6 }).map((n) => ` w${n} `),
    tree: fc.oneof(
      { maxDepth: 5 },
      tie('leaf'),
      fc
        .tuple(fc.constantFrom(...names), fc.array(tie('tree'), { maxLength: 4 }))
        .map(([name, inside]) => `<x:${name}>${inside.join('')}</x:${name}>`),
    ),
  }));
  fc.assert(
    fc.property(fc.array(tree, { maxLength: 4 }), (content) => {
      const written = content.join('');
      const words = (text: string) => text.match(/w\d+/g) ?? [];
      expect(words(statement(`<x:div>${written}</x:div>`))).toEqual(words(written));
    }),
  );
});

describe('the XHTML of the implementor forum [PQRS-9]', () => {
  const path = sharedData('reqif', 'ci.eclipse.org-TC1200_E0000_S10_Referenc.reqif');
  if (path === undefined) return;
  const { items } = readSmallReqif([
    { path: 'a.reqif', bytes: new Uint8Array(readFileSync(path)) },
  ]);

  test('every object has its text, and no markup is in it', () => {
    const objects = items.filter(({ kind }) => kind !== 'document');
    expect(objects).toHaveLength(44);
    for (const { statement: text } of objects) {
      expect(text.length).toBeGreaterThan(5);
      expect(text).not.toMatch(/<\/?xhtml/);
    }
  });

  test('all words of a text are there', () => {
    const words = items.map(({ statement: text }) => text).join(' ');
    for (const word of [
      'XhtmlH1Type',
      'XhtmlLiType',
      'XhtmlDdType',
      'XhtmlPreType',
      'XhtmlAType',
    ]) {
      expect(words).toContain(word);
    }
  });
});
