// What the widget takes out of texts and addresses before it tells of them.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { mask, pageAddress } from '../../src/console/widget/mask.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
const OWN = `pqrs_${'0'.repeat(26)}_${'1'.repeat(52)}`;

test.each([
  [`a ${OWN} b`, 'a *** b'],
  [`{"jwt":"${JWT}"}`, '{"jwt":"***"}'],
  ['Authorization: Bearer abc.def', 'Authorization: *** ***'],
  ['sent Basic dXNlcjpwYXNz to it', 'sent Basic *** to it'],
  ['password=hunter2, user=me', 'password=***, user=me'],
  ['{"api_key": "k-1", "a": 1}', '{"api_key": "***", "a": 1}'],
  ['ghp_0123456789abcdef and AKIA0123456789ABCDEF', '*** and ***'],
  ['GET https://me:pw@x.example/a?b=c failed', 'GET https://***@x.example/a?*** failed'],
  ['at f (https://x.example/app.js?v=1:2:3)', 'at f (https://x.example/app.js?***:2:3)'],
  ['Cannot read properties of undefined', 'Cannot read properties of undefined'],
])('%s', (text, masked) => expect(mask(text)).toBe(masked));

test.each([
  ['https://x.example/a?id=7&tab=all', 'https://x.example/a?id=7&tab=all'],
  ['https://x.example/a?session=1&id=7', 'https://x.example/a?session=***&id=7'],
  [`https://x.example/a?v=${'x'.repeat(41)}`, 'https://x.example/a?v=***'],
  [`https://x.example/reset/${JWT}`, 'https://x.example/reset/***'],
  ['https://x.example/#/cart/1', 'https://x.example/#/cart/1'],
  ['https://x.example/#access_token=1', 'https://x.example/#***'],
  ['https://me:pw@x.example/', 'https://x.example/'],
  ['data:text/html,secret', 'data:'],
])('%s', (address, told) => expect(pageAddress(address)).toBe(told));

test('no secret is told, whatever stands around it, and masked texts stay', () => {
  const around = fc.string().filter((text) => !/\w$|^\w|[/?#:]/.test(text));
  fc.assert(
    fc.property(around, fc.constantFrom(JWT, OWN, 'Bearer abc123'), around, (a, secret, b) => {
      const masked = mask(a + secret + b);
      expect(masked).not.toContain(secret);
      expect(mask(masked)).toBe(masked);
    }),
  );
});
