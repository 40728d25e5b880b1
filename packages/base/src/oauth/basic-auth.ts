import type { ClientAuth } from 'oauth4webapi';

/**
 * Authenticates a client with HTTP Basic. `ClientSecretBasic` of `oauth4webapi` also escapes unreserved characters. Many
 * servers do not decode them, so this function leaves them unescaped.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
 */
export function createBasicAuth(secret: string): ClientAuth {
  const encodeForm = (text: string) => new URLSearchParams([[text, '']]).toString().slice(0, -1);
  return (_as, { client_id: id }, _body, headers) => {
    headers.set('authorization', `Basic ${btoa(`${encodeForm(id)}:${encodeForm(secret)}`)}`);
  };
}
