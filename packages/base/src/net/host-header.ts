/** A name, an IPv4 address or an IPv6 address in brackets, with an optional port. */
const HOST = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]\\%,]+)(?::(\d{0,5}))?$/;
const MAX_PORT = 65_535;

/**
 * Returns the host of a `Host` header, or of the authority of an origin, in lower case and without its port. Returns
 * `undefined` for a text of another form.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-7.2
 */
export function parseHostHeader(text: string): string | undefined {
  const [, host, port = ''] = HOST.exec(text.toLowerCase()) ?? [];
  return Number(port) > MAX_PORT ? undefined : host;
}

/** Returns the host of a URL for an address that a server listens on. All interfaces together are `localhost`. */
export function toUrlHost(address: string): string {
  if (address === '0.0.0.0' || address === '::') return 'localhost';
  return address.includes(':') ? `[${address}]` : address;
}
