import { isLoopbackDomain, parseIpAddress } from './loopback.js';

/** Class of an IP address. It tells which harm a request to the address could do. */
export type AddressClass = 'public' | 'loopback' | 'private' | 'link-local' | 'reserved';

/** Classifies an IP address. Returns `undefined` for a host name. Accepts IPv6 with and without brackets. */
export function classifyAddress(host: string): AddressClass | undefined {
  const address = parseIpAddress(host);
  if (address === undefined) return host.includes(':') ? 'reserved' : undefined;
  return address.length === 4 ? classifyIpv4(address) : classifyIpv6(address);
}

/** Host names of metadata services, which give cloud credentials to machines. Their addresses are link-local. */
const METADATA_NAMES =
  /^(?:metadata|instance-data|(?:.+\.)?metadata\.goog|metadata\.(?:.+\.)?internal|metadata\.tencentyun\.com)$/;
/**
 * Domains that are not delegated on the public Internet: those of RFC 6761, 6762 and 8375, and names of clusters and
 * companies.
 */
const PRIVATE_DOMAINS = /\.(?:local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|svc|test)$/;

/**
 * Classifies a host by its address or name. Names of this machine are loopback.
 *
 * Names of a local network are private. A name without a dot is also private, because the local search domain resolves
 * it.
 */
export function classifyHost(hostname: string): AddressClass {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  const known = classifyAddress(host);
  if (known) return known;
  // URL parsers turn such a host into an address: `0x7f.1`, `2130706433`, `127。0。0。1`. Pass the host of a parsed URL.
  if (NUMERIC_LABEL.test(host) || /[^ -~]/.test(host)) return 'reserved';
  if (isLoopbackDomain(hostname)) return 'loopback';
  if (METADATA_NAMES.test(host)) return 'link-local';
  return host.includes('.') && !PRIVATE_DOMAINS.test(host) ? 'public' : 'private';
}

/** A last label that makes a host an IPv4 address. */
const NUMERIC_LABEL = /(?:^|\.)(?:\d+|0x[\da-f]*)$/;

/** Metadata addresses of Azure and Alibaba. They count as link-local, because they give credentials to machines. */
const METADATA_IPV4 = new Set(['168.63.129.16', '100.100.100.200']);
/**
 * Special-purpose /24 blocks that have no servers: protocol assignments, documentation, 6to4 relays, AS112, AMT.
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const RESERVED_IPV4 = new Set([
  '192.0.0',
  '192.0.2',
  '192.31.196',
  '192.52.193',
  '192.88.99',
  '192.175.48',
  '198.51.100',
  '203.0.113',
]);

/**
 * Classifies an IPv4 address by its octets.
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 */
function classifyIpv4([a = 0, b = 0, c = 0, d = 0]: readonly number[]): AddressClass {
  if (a === 127) return 'loopback';
  if ((a === 169 && b === 254) || METADATA_IPV4.has(`${a}.${b}.${c}.${d}`)) return 'link-local';
  if (a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168)) return 'private';
  // The first block is the shared address space of carriers, where their own machines respond. The second is for
  // benchmarks.
  if ((a === 100 && b >= 64 && b < 128) || (a === 198 && (b === 18 || b === 19))) return 'private';
  return a === 0 || a >= 224 || RESERVED_IPV4.has(`${a}.${b}.${c}`) ? 'reserved' : 'public';
}

/** The metadata services of AWS, Google Cloud and Scaleway: `fd00:ec2::254`, `fd20:ce::254`, `fd00:42::42`. */
const METADATA_IPV6 = new Set(['fd00:ec2:0:0:0:0:0:254', 'fd20:ce:0:0:0:0:0:254', 'fd00:42:0:0:0:0:0:42']);

/**
 * Classifies an IPv6 address by its groups.
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
function classifyIpv6(groups: readonly number[]): AddressClass {
  const [first = 0, second = 0, third = 0] = groups;
  if (groups.slice(0, 7).every(group => group === 0) && groups[7] === 1) return 'loopback';
  const embedded = extractEmbeddedIpv4(groups);
  if (embedded) return classifyIpv4(embedded);
  if (METADATA_IPV6.has(groups.map(group => group.toString(16)).join(':'))) return 'link-local';
  if (first === 0x64 && second === 0xff9b) return 'private';
  if ((first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfec0) return 'private';
  if ((first & 0xffc0) === 0xfe80) return 'link-local';
  // Only 2000::/3 is public. Blocks outside are, for example, 100::/64 (discard), 5f00::/16 (segment routing) and
  // ff00::/8 (multicast).
  if ((first & 0xe000) !== 0x2000) return 'reserved';
  // 2001::/23 contains Teredo, ORCHID, DRIP and benchmarks. 2001:db8::/32 and 3fff::/20 are for documentation.
  // 2620:4f:8000::/48 is AS112.
  const isSpecial =
    (first === 0x2001 && (second < 0x200 || second === 0xdb8)) ||
    (first === 0x3fff && second < 0x1000) ||
    (first === 0x2620 && second === 0x4f && third === 0x8000);
  return isSpecial ? 'reserved' : 'public';
}

/** Returns the IPv4 address in the groups of a mapped, compatible, NAT64 or 6to4 address. */
export function extractEmbeddedIpv4(groups: readonly number[]): number[] | undefined {
  const areZero = (from: number, to: number) => groups.slice(from, to).every(group => group === 0);
  const splitGroups = (index: number) =>
    [index, index + 1].flatMap(i => [(groups[i] as number) >> 8, (groups[i] as number) & 255]);
  if (areZero(0, 5) && (groups[5] === 0xffff || groups[5] === 0)) return splitGroups(6);
  if (groups[0] === 0x64 && groups[1] === 0xff9b && areZero(2, 6)) return splitGroups(6);
  return groups[0] === 0x2002 ? splitGroups(1) : undefined;
}
