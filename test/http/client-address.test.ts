// Whose address a request has, behind whatever stands between.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createAddressReader, networkOf } from '../../src/http/api/request.ts';

function addressOf(proxies: string[], peer: string | undefined, forwarded?: string): string {
  const headers: Record<string, string> =
    forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return createAddressReader(proxies, () => peer)(new Request('http://a/', { headers }));
}

describe('without trusted proxies [PQRS-71]', () => {
  test('it is that of the connection, whatever is forwarded', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), (peer, other) => {
        expect(addressOf([], peer, other)).toBe(peer);
      }),
    );
    expect(addressOf([], undefined, '1.2.3.4')).toBe('unknown');
    expect(addressOf([], '::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(addressOf([], '2001:db8::1')).toBe('2001:db8::1');
  });
});

describe('behind trusted proxies [PQRS-71]', () => {
  const proxies = ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'];

  test('it is the last hop that is no proxy', () => {
    for (const [peer, forwarded, address] of [
      ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
      ['::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
      ['192.0.2.7', ' 198.51.100.1 ', '198.51.100.1'],
      ['2001:db8::5', '2001:db9::1', '2001:db9::1'],
      ['10.0.0.1', '203.0.113.1, 198.51.100.1', '198.51.100.1'],
      ['10.0.0.1', '203.0.113.1, 198.51.100.1, 10.0.0.2, 192.0.2.7', '198.51.100.1'],
      ['10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
      ['10.0.0.1', '10.0.0.9', '10.0.0.1'],
      ['10.0.0.1', '', '10.0.0.1'],
      ['10.0.0.1', undefined, '10.0.0.1'],
      ['10.0.0.1', 'unknown', '10.0.0.1'],
      ['10.0.0.1', '198.51.100.1, nonsense', '10.0.0.1'],
      ['10.0.0.1', '198.51.100.1:4711', '10.0.0.1'],
      ['198.51.100.9', '203.0.113.1', '198.51.100.9'],
    ] as const) {
      expect(addressOf(proxies, peer, forwarded), `${peer} for ${forwarded}`).toBe(address);
    }
  });

  test('what a client puts before its own address never becomes its address', () => {
    const outside = fc.ipV4().filter((address) => !/^(?:10\.|192\.0\.2\.7$)/.test(address));
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.ipV4(),
            fc.string().filter((text) => !/[^\x21-\x7e]/.test(text)),
          ),
          { maxLength: 5 },
        ),
        outside,
        (forged, client) => {
          expect(addressOf(proxies, '10.0.0.1', [...forged, client].join(', '))).toBe(client);
        },
      ),
    );
  });
});

describe('what counts as one client [PQRS-71]', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['unknown', 'unknown'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4::/64'],
  ])('%s is of %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
