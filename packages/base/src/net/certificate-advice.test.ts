import { expect, it } from 'vitest';
import { getCertificateAdvice } from './certificate-advice.js';

it.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'NODE_EXTRA_CA_CERTS'],
  ['CERT_HAS_EXPIRED', 'renew'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'host name'],
])('names the next step for %s, also as the cause of another error', (code, text) => {
  expect(getCertificateAdvice(Object.assign(new Error('x'), { code }))).toContain(text);
  expect(getCertificateAdvice(new TypeError('fetch failed', { cause: { code } }))).toContain(text);
});

it.each([undefined, 'x', new Error('x'), { code: 'ECONNREFUSED' }, { code: 5 }])('returns no advice for %o', error => {
  expect(getCertificateAdvice(error)).toBeUndefined();
});
