import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyFailure, type FailureVerdict } from './classify-failure.js';

const classify = (status: number, body: unknown = '', headers: Record<string, string> = {}) =>
  classifyFailure({
    status,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    header: name => headers[name],
  });
const HTML = '<!doctype html><title>Not found</title>';

describe('classifyFailure', () => {
  it.each<[FailureVerdict, number, unknown]>([
    ['revoked', 400, { error: 'invalid_grant' }],
    ['revoked', 401, { error: 'invalid_grant' }],
    ['revoked', 403, { error: 'invalid_grant', error_description: 'Unknown or invalid refresh token.' }],
    ['revoked', 200, { error: 'invalid_grant' }],
    ['refused', 400, { error: 'invalid_request' }],
    ['refused', 401, { error: 'invalid_client' }],
    ['refused', 400, { error: 'unauthorized_client' }],
    ['refused', 400, { error: 'unsupported_grant_type' }],
    ['refused', 400, { error: 'invalid_scope' }],
    ['unrecognized', 404, HTML],
    ['unrecognized', 400, ''],
    ['unrecognized', 401, ''],
    ['unrecognized', 403, { message: 'Forbidden' }],
    ['unrecognized', 403, { error: 'access_denied' }],
    ['unrecognized', 407, { error: 'invalid_grant' }],
    ['unrecognized', 400, { error: { code: 'invalid_grant' } }],
    ['unrecognized', 400, { error: '' }],
    ['unrecognized', 400, [{ error: 'invalid_grant' }]],
    ['unrecognized', 400, '"invalid_grant"'],
    ['unrecognized', 302, ''],
    ['unrecognized', 200, {}],
    ['temporary', 408, ''],
    ['temporary', 425, ''],
    ['temporary', 429, { error: 'invalid_grant' }],
    ['temporary', 500, { error: 'invalid_grant' }],
    ['temporary', 503, HTML],
    ['temporary', 200, HTML],
    ['temporary', 200, ''],
    ['temporary', 599, ''],
    ['temporary', 400, { error: 'temporarily_unavailable' }],
    ['temporary', 400, { error: 'server_error' }],
  ])('returns the verdict %s for %i with %j', (verdict, status, body) => {
    expect(classify(status, body)).toMatchObject({ verdict, status });
  });

  it.each([
    [true, 400, { error: 'unauthorized_client' }, {}],
    [true, 401, { error: 'invalid_client' }, {}],
    [true, 401, '', { 'www-authenticate': 'Basic realm="token"' }],
    [false, 401, '', {}],
    [false, 407, '', { 'proxy-authenticate': 'Basic' }],
    [false, 503, { error: 'invalid_client' }, {}],
    [false, 400, { error: 'invalid_grant' }, {}],
  ])('reports for an unknown client: %s for %i with %j and %j', (isClientUnknown, status, body, headers) => {
    expect(classify(status, body, headers).isClientUnknown).toBe(isClientUnknown);
  });

  it('reads a delay of at most an hour, only with a temporary failure', () => {
    expect(classify(503, '', { 'retry-after': '7' }).retryAfter).toBe(7_000);
    expect(classify(429, '', { 'retry-after': '999999999' }).retryAfter).toBe(3_600_000);
    expect(classify(429, '', { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }).retryAfter).toBeUndefined();
    expect(classify(404, '', { 'retry-after': '7' }).retryAfter).toBeUndefined();
  });

  it('recognizes the request for another nonce in the body and in the header', () => {
    expect(classify(400, { error: 'use_dpop_nonce' }).requiresNonce).toBe(true);
    expect(classify(401, '', { 'www-authenticate': 'DPoP error="use_dpop_nonce"' }).requiresNonce).toBe(true);
    expect(classify(400, { error: 'invalid_request' }).requiresNonce).toBe(false);
  });

  it('never throws, and drops a refresh token only for an OAuth error', () => {
    const bodies = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map(text => text.slice(1)),
      fc.constant(HTML),
    );
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), bodies, fc.string(), (status, body, challenge) => {
        const { verdict, error } = classify(status, body, { 'www-authenticate': challenge, 'retry-after': challenge });
        const isTemporary = status >= 500 || [408, 425, 429].includes(status);
        if (isTemporary) expect(verdict).toBe('temporary');
        if (verdict === 'revoked' || verdict === 'refused') expect(typeof error).toBe('string');
        if (verdict === 'temporary' && !isTemporary && error !== undefined)
          expect(error).toMatch(/^(server_error|temporarily_unavailable)$/);
        if (verdict === 'temporary' && !isTemporary && error === undefined) expect(Math.floor(status / 100)).toBe(2);
      }),
    );
  });
});
