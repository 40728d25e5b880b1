import type { AuthInfo } from './transport.js';

/** The name of callers that nothing tells apart: without a user, over a transport that knows no addresses. */
export const UNKNOWN_CALLER = 'unknown';

/**
 * Names the one whose share of a limit a request uses up: the authenticated user, or the address of an anonymous caller.
 */
export function getCallerKey(auth: AuthInfo | undefined, address: string | undefined): string {
  if (auth !== undefined) return `user ${auth.principal}`;
  return address === undefined ? UNKNOWN_CALLER : getAddressGroup(address);
}

/** An IPv6 caller usually controls a whole /64 network, so that all its addresses count as one. */
function getAddressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ''] = address.toLowerCase().split('%');
  const [head = '', tail] = plain.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  return `${groups
    .slice(0, 4)
    .map(group => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
