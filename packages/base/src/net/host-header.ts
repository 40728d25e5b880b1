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
