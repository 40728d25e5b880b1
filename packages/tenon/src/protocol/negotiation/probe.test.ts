import { TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { dialects, getDialect, getNewestDialect } from '../versions/index.js';
import { interpretProbe } from './probe.js';

const error = (code: string, facts: object = {}) => new TenonError(code, 'x', facts);
const rpc = (code: number, data?: unknown, status?: number) => error('peer/error', { rpcCode: code, data, status });
const handshake = { opening: 'handshake', dialect: getNewestDialect('handshake') };
const perRequest = { opening: 'per-request', dialect: getNewestDialect('per-request') };

describe('interpretProbe', () => {
  it('selects the newest version that both sides have [compat.stdio-probe-discover-result]', () => {
    expect(interpretProbe({ supportedVersions: ['2025-06-18', '2026-07-28', '2099-01-01'] }, dialects)).toEqual(
      perRequest,
    );
  });

  it('returns a handshake when the common version requires one [compat.supported-lists-legacy-versions]', () => {
    const found = { opening: 'handshake', dialect: getDialect('2025-06-18') };
    expect(interpretProbe({ supportedVersions: ['2025-06-18'] }, dialects)).toEqual(found);
    expect(interpretProbe(rpc(-32022, { supported: ['2025-06-18'], requested: 'x' }), dialects)).toEqual(found);
  });

  it('returns a handshake if possible when the response lists no versions', () => {
    expect(interpretProbe({}, dialects)).toEqual(handshake);
    expect(interpretProbe({ supportedVersions: '2026-07-28' }, dialects)).toEqual(handshake);
    expect(interpretProbe({}, [getNewestDialect('per-request')])).toEqual(perRequest);
  });

  it('throws when no version is shared', () => {
    expect(() => interpretProbe({ supportedVersions: ['2099-01-01', 5] }, dialects)).toThrow(/2099-01-01/);
  });

  it.each([-32020, -32021, -32022])(
    'returns per-request for error %i [compat.client-recognised-modern-error compat.stdio-probe-modern-error]',
    code => {
      expect(interpretProbe(rpc(code), dialects)).toEqual(perRequest);
      expect(interpretProbe(rpc(code, 'no data', 400), dialects)).toEqual(perRequest);
    },
  );

  it.each([-32601, -32602, -32600, -32603, -32700, -32000, 0, 1])(
    'returns handshake for error %i [compat.stdio-probe-other-error compat.stdio-probe-not-one-code compat.client-anything-else-is-legacy]',
    code => expect(interpretProbe(rpc(code), dialects)).toEqual(handshake),
  );

  it('returns handshake when no response arrives [compat.stdio-probe-other-error]', () => {
    expect(interpretProbe(error('call/timeout'), dialects)).toEqual(handshake);
    expect(interpretProbe(error('stdio/exited'), dialects)).toEqual(handshake);
  });

  it.each([400, 404, 405, 406, 415, 422])(
    'returns handshake for status %i without a known body [compat.http-empty-or-unknown-body-fallback]',
    status => {
      expect(interpretProbe(error('http/status', { status }), dialects)).toEqual(handshake);
    },
  );

  it.each([401, 403, 407, 408, 425, 429, 500, 501, 502, 503, 504, 524])(
    'returns unknown for status %i, with and without an error [compat.http-401-not-era-signal compat.http-5xx-not-era-signal]',
    status => {
      expect(interpretProbe(error('http/status', { status }), dialects)).toEqual({ opening: 'unknown' });
      for (const code of [-32603, -32000, -32600, -32602])
        expect(interpretProbe(rpc(code, undefined, status), dialects)).toEqual({ opening: 'unknown' });
    },
  );

  it.each([200, 404, 500, 501])('returns handshake if the server does not know the method, with status %i', status => {
    expect(interpretProbe(rpc(-32601, undefined, status), dialects)).toEqual(handshake);
  });

  it('returns per-request for an error of stateless versions with status 500', () => {
    expect(interpretProbe(rpc(-32022, { supported: ['2026-07-28'] }, 500), dialects)).toEqual(perRequest);
  });

  it.each(['http/interrupted', 'connection/closed', 'stdio/output-closed'])(
    'returns handshake when the server ends the connection: %s',
    code => expect(interpretProbe(error(code), dialects)).toEqual(handshake),
  );

  it.each(['http/unreachable', 'call/aborted', 'stdio/spawn'])('returns unknown when the error is %s', code => {
    expect(interpretProbe(error(code), dialects)).toEqual({ opening: 'unknown' });
  });

  it('returns only configured openings', () => {
    const only = [getDialect('2026-07-28')].filter(each => each !== undefined);
    expect(interpretProbe(rpc(-32601), only)).toEqual({ opening: 'unknown' });
    expect(interpretProbe({ supportedVersions: 'x' }, only)).toMatchObject({ opening: 'per-request' });
  });
});
