/** Matches codes of Node for certificates that are not trusted. */
const CERTIFICATE = /CERT|UNABLE_TO_(?:GET|VERIFY)|UNTRUSTED/;

/** Returns the next step for a connection that failed because of the certificate of the server. */
export function getCertificateAdvice(error: unknown): string | undefined {
  const { code, cause } = Object(error) as { readonly code?: unknown; readonly cause?: unknown };
  const inner: unknown = Object(cause).code;
  const found = [code, inner].find(each => typeof each === 'string' && CERTIFICATE.test(each));
  if (found === undefined) return undefined;
  if (found === 'CERT_HAS_EXPIRED' || found === 'CERT_NOT_YET_VALID')
    return 'ask the operator to renew the certificate of the server, and check the clock of this machine';
  if (found === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'use a host name that the certificate of the server contains';
  return 'if you trust the certificate of the server, set NODE_EXTRA_CA_CERTS to a file with it or its authority in PEM';
}
