// What a request says of itself: its id, its path and its query string, and whose address it comes from.
// Its URL need not be one that `URL` takes: its host is what the client says.
import { randomBytes } from 'node:crypto';

const SAFE = /^[A-Za-z0-9._~:@+/=-]{1,128}$/;
const boot = randomBytes(6).toString('hex');
let counter = 0;

/** The request id of a request: its `X-Request-Id` if that is 1 to 128 safe characters. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id');
  if (given !== null && SAFE.test(given)) return given;
  counter += 1;
  return `${boot}-${counter}`;
}

/** The path of a request, still encoded, without query and fragment. */
export function pathOf(request: Request): string {
  const { url } = request;
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const end = url.slice(start).search(/[?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, start + end);
}

/** The query string of a request, without its question mark. */
export function searchOf(request: Request): string {
  const at = request.url.indexOf('?');
  if (at < 0) return '';
  const end = request.url.indexOf('#', at);
  return end < 0 ? request.url.slice(at + 1) : request.url.slice(at + 1, end);
}

/**
 * @param proxies - addresses or CIDR ranges whose `X-Forwarded-For` is believed
 * @returns gives the address of a request's client, `unknown` where its connection has none
 */
export function createAddressReader(
  proxies: readonly string[],
  peerOf: (request: Request) => string | undefined,
): (request: Request) => string {
  if (proxies.length === 0) return (request) => plain(peerOf(request) ?? 'unknown');
  // Loaded where there are proxies: no start is to wait for its sockets.
  const { BlockList, isIP, isIPv6 } = process.getBuiltinModule('node:net');
  const trusted = new BlockList();
  for (const entry of proxies) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }

  function isTrusted(address: string): boolean {
    return isIP(address) !== 0 && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  return (request) => {
    const peer = plain(peerOf(request) ?? 'unknown');
    if (!isTrusted(peer)) return peer;
    const hops = (request.headers.get('x-forwarded-for') ?? '')
      .split(',')
      .map((hop) => plain(hop.trim()));
    // From the nearest hop outwards: the first that no trusted proxy has is the client.
    for (const hop of hops.reverse()) {
      if (isIP(hop) === 0) return peer;
      if (!isTrusted(hop)) return hop;
    }
    return peer;
  };
}

/**
 * What counts as one client: an IPv4 address, or the /64 of an IPv6 address, which is what a provider
 * gives to one customer (RFC 6177).
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = [], tail = []] = address
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const missing = 8 - head.length - tail.length - (tail.at(-1)?.includes('.') ? 1 : 0);
  const groups = [...head, ...Array(Math.max(0, missing)).fill('0'), ...tail].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
