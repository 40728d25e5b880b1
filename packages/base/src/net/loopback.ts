/**
 * Checks for addresses and names of this machine. No function resolves a name, and each one returns false for a text
 * with a port.
 */

/** Checks if a text is a loopback address. IPv4 addresses that are mapped to IPv6 count too. Brackets are optional. */
export function isLoopbackAddress(text: string): boolean {
  const address = parseIpAddress(text) ?? [];
  if (address.length === 4) return address[0] === 127;
  const [last = 0, beforeLast = 0, mark = -1, ...rest] = address.toReversed();
  if (rest.length !== 5 || rest.some(group => group !== 0)) return false;
  return mark === 0xffff ? beforeLast >> 8 === 127 : mark === 0 && beforeLast === 0 && last === 1;
}

/**
 * Checks if a host is this machine for every resolver: a loopback address or `localhost`. Use it for decisions that
 * grant access: `Host` headers, and the address that a server listens on.
 */
export function isLoopbackHost(host: string): boolean {
  return /^localhost\.?$/i.test(host) || isLoopbackAddress(host);
}

/**
 * Checks if the host of a URL is this machine: the hosts of `isLoopbackHost` and names under `.localhost`.
 * @see https://www.rfc-editor.org/rfc/rfc6761#section-6.3
 */
export function isLoopbackDomain(host: string): boolean {
  return isLoopbackHost(host) || /\.localhost\.?$/i.test(host);
}

/**
 * Tells if nobody on the network can read what is sent to a URL, because it uses `https:`, or `http:` on this machine.
 * Tokens, codes and pages of a sign-in need such a URL.
 */
export function isEncryptedOrLocal({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackDomain(hostname));
}

/** Parses an IP address into four octets or eight groups. Brackets and a zone are optional. */
export function parseIpAddress(text: string): number[] | undefined {
  // Callers without types pass anything.
  const bare = String(text)
    .replace(/^\[(.*)\]$/s, '$1')
    .replace(/%.*$/, '');
  return bare.includes(':') ? parseIpv6(bare) : parseIpv4(bare);
}

function parseIpv4(text: string): number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every(part => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.map(Number);
}

/** Parses an IPv6 address into eight groups. Returns `undefined` for an invalid address. */
function parseIpv6(text: string): number[] | undefined {
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const octets = tail ? parseIpv4(tail[2] as string) : undefined;
  if (tail && !octets) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = octets ?? [];
  const hex = octets ? `${tail?.[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}` : text;
  const halves = hex.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], rest] = halves.map(half => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - (rest?.length ?? 0);
  if (rest === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = rest === undefined ? head : [...head, ...Array<string>(missing).fill('0'), ...rest];
  if (!groups.every(group => /^[\da-f]{1,4}$/i.test(group))) return undefined;
  return groups.map(group => Number.parseInt(group, 16));
}
