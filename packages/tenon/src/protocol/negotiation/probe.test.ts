import { describe, expect, it } from 'vitest';
import { TenonError } from '../../jsonrpc/error.js';
import { dialects, getDialect, getNewestDialect } from '../versions/index.js';
import { interpretProbe } from './probe.js';

const error = (code: string, facts: object = {}) => new TenonError(code, 'x', facts);
const rpc = (code: number, data?: unknown, status?: number) => error('peer/error', { rpcCode: code, data, status });
const handshake = { opening: 'handshake', dialect: getNewestDialect('handshake') };
const perRequest = { opening: 'per-request', dialect: getNewestDialect('per-request') };

describe('the answer to a probe', () => {
  it('with versions picks the newest that both speak [compat.stdio-probe-discover-result]', () => {
    expect(interpretProbe({ supportedVersions: ['2025-06-18', '2026-07-28', '2099-01-01'] }, dialects)).toEqual(
      perRequest,
    );
  });

  it('with a version that wants a handshake is followed by one [compat.supported-lists-legacy-versions]', () => {
    const found = { opening: 'handshake', dialect: getDialect('2025-06-18') };
    expect(interpretProbe({ supportedVersions: ['2025-06-18'] }, dialects)).toEqual(found);
    expect(interpretProbe(rpc(-32022, { supported: ['2025-06-18'], requested: 'x' }), dialects)).toEqual(found);
  });

  it('without any versions is of one that answers whatever comes, and wants a handshake where that is to be had', () => {
    expect(interpretProbe({}, dialects)).toEqual(handshake);
    expect(interpretProbe({ supportedVersions: '2026-07-28' }, dialects)).toEqual(handshake);
    expect(interpretProbe({}, [getNewestDialect('per-request')])).toEqual(perRequest);
  });

  it('with no version of ours ends it', () => {
    expect(() => interpretProbe({ supportedVersions: ['2099-01-01', 5] }, dialects)).toThrow(/2099-01-01/);
  });

  it.each([-32020, -32021, -32022])(
    'shows a stateless server by the error %i [compat.client-recognised-modern-error compat.stdio-probe-modern-error]',
    code => {
      expect(interpretProbe(rpc(code), dialects)).toEqual(perRequest);
      expect(interpretProbe(rpc(code, 'no data', 400), dialects)).toEqual(perRequest);
    },
  );

  it.each([-32601, -32602, -32600, -32603, -32700, -32000, 0, 1])(
    'shows a server with handshakes by the error %i [compat.stdio-probe-other-error compat.stdio-probe-not-one-code compat.client-anything-else-is-legacy]',
    code => expect(interpretProbe(rpc(code), dialects)).toEqual(handshake),
  );

  it('shows a server with handshakes when it does not come [compat.stdio-probe-other-error]', () => {
    expect(interpretProbe(error('call/timeout'), dialects)).toEqual(handshake);
    expect(interpretProbe(error('stdio/exited'), dialects)).toEqual(handshake);
  });

  it.each([400, 404, 405, 415, 500, 501, 502, 503])(
    'with the status %i and nothing that is known is of one that wants a handshake [compat.http-empty-or-unknown-body-fallback]',
    status => {
      expect(interpretProbe(error('http/status', { status }), dialects)).toEqual(handshake);
    },
  );

  it.each([401, 403])('with the status %i says nothing [compat.http-401-not-era-signal]', status => {
    expect(interpretProbe(error('http/status', { status }), dialects)).toEqual({ opening: 'unknown' });
  });

  it.each(['http/interrupted', 'connection/closed', 'stdio/output-closed'])(
    'shows a server with handshakes when it ends the connection: %s',
    code => expect(interpretProbe(error(code), dialects)).toEqual(handshake),
  );

  it.each(['http/unreachable', 'call/aborted', 'stdio/spawn'])('shows nothing when it is %s', code => {
    expect(interpretProbe(error(code), dialects)).toEqual({ opening: 'unknown' });
  });

  it('can only be what is wanted', () => {
    const only = [getDialect('2026-07-28')].filter(each => each !== undefined);
    expect(interpretProbe(rpc(-32601), only)).toEqual({ opening: 'unknown' });
    expect(interpretProbe({ supportedVersions: 'x' }, only)).toMatchObject({ opening: 'per-request' });
  });
});
