import type { JsonObject } from '@tenon/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonRpcRequest } from '../../jsonrpc/message.js';
import { dialects, getDialect, getNewestDialect } from '../versions/index.js';
import { classifyRequest, createRequestMeta, findStatelessRoute, listVersions } from './classify-request.js';

const PREFIX = 'io.modelcontextprotocol/';
const meta = (version: unknown, capabilities: unknown = {}, more: JsonObject = {}) => ({
  [`${PREFIX}protocolVersion`]: version,
  ...(capabilities === undefined ? {} : { [`${PREFIX}clientCapabilities`]: capabilities }),
  ...more,
});
const request = (method: string, _meta?: JsonObject): JsonRpcRequest => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: _meta ? { _meta } : {},
});
const only = (...versions: string[]) =>
  versions.map(each => getDialect(each) as NonNullable<ReturnType<typeof getDialect>>);

describe('classifyRequest', () => {
  it('returns per-request when the request names its protocol version [compat.server-modern-meta-selects-stateless versioning.declared-per-request]', () => {
    expect(classifyRequest(request('tools/list', meta('2026-07-28')), dialects)).toEqual({
      opening: 'per-request',
      dialect: getNewestDialect(),
      capabilities: {},
      client: undefined,
      logLevel: undefined,
    });
    expect(classifyRequest(request('initialize', meta('2026-07-28')), dialects)).toMatchObject({
      opening: 'per-request',
    });
  });

  it.each(['2025-11-25', '2099-01-01', '', 'newest'])(
    'refuses %j, and lists the versions that are served [versioning.unsupported-version-error errors.unsupported-version-shape]',
    version => {
      expect(classifyRequest(request('tools/list', meta(version)), dialects)).toEqual({
        opening: 'refused',
        error: {
          code: -32022,
          message: 'Unsupported protocol version',
          data: { supported: listVersions(), requested: version },
        },
      });
    },
  );

  it.each([
    ['a version that is no string', meta(5)],
    ['no capabilities', meta('2026-07-28', null)],
    ['capabilities that are a list', meta('2026-07-28', [])],
  ])('refuses %s [meta.missing-required-field-error meta.client-capabilities-required]', (_, _meta) => {
    expect(classifyRequest(request('tools/list', _meta), dialects)).toMatchObject({
      opening: 'refused',
      error: { code: -32602 },
    });
  });

  it('refuses a stateless version that only the header names [meta.missing-required-field-error]', () => {
    for (const version of ['2026-07-28', '2099-01-01']) {
      expect(classifyRequest(request('tools/list'), dialects, version)).toMatchObject({
        opening: 'refused',
        error: { code: -32602 },
      });
    }
    expect(classifyRequest(request('tools/list'), dialects, '2025-11-25')).toEqual({ opening: 'opened' });
  });

  it('returns handshake for initialize, whatever version the header names, unless `_meta` is stateless', () => {
    for (const version of ['2026-07-28', '2099-01-01']) {
      expect(classifyRequest(request('initialize'), dialects, version)).toEqual({ opening: 'handshake' });
      expect(classifyRequest(request('initialize', { progressToken: 1 }), dialects, version)).toEqual({
        opening: 'handshake',
      });
      const stateless = { [`${PREFIX}clientCapabilities`]: {} };
      expect(classifyRequest(request('initialize', stateless), dialects, version)).toMatchObject({
        opening: 'refused',
        error: { code: -32602 },
      });
    }
    expect(classifyRequest(request('initialize', meta('2026-07-28')), dialects, '2026-07-28')).toMatchObject({
      opening: 'per-request',
    });
    expect(classifyRequest(request('initialize'), only('2026-07-28'), '2026-07-28')).toMatchObject({
      opening: 'refused',
      error: { code: -32022 },
    });
  });

  it('returns handshake for initialize, and opened for other requests [compat.server-initialize-selects-legacy compat.legacy-client-dual-era-server]', () => {
    expect(classifyRequest(request('initialize'), dialects)).toEqual({ opening: 'handshake' });
    expect(classifyRequest(request('tools/list'), dialects)).toEqual({ opening: 'opened' });
  });

  it('refuses an unsupported protocol version in the header, except for initialize [http.version-header.invalid-400]', () => {
    const served = only('2025-11-25');
    expect(classifyRequest(request('ping'), served, '2025-11-25')).toEqual({ opening: 'opened' });
    expect(classifyRequest(request('ping'), served, '2025-06-18')).toMatchObject({
      opening: 'refused',
      error: { code: -32600 },
    });
    expect(classifyRequest(request('initialize'), served, '2025-06-18')).toEqual({ opening: 'handshake' });
  });

  it('refuses requests without metadata if no supported protocol version has a handshake [compat.legacy-client-modern-server-stdio]', () => {
    expect(classifyRequest(request('initialize'), only('2026-07-28'))).toMatchObject({ error: { code: -32022 } });
    expect(classifyRequest(request('tools/list'), only('2026-07-28'))).toMatchObject({ error: { code: -32602 } });
  });

  it('refuses requests with metadata if every supported protocol version has a handshake', () => {
    expect(classifyRequest(request('tools/list', meta('2026-07-28')), only('2025-11-25'))).toMatchObject({
      error: { code: -32022, data: { supported: ['2025-11-25'] } },
    });
  });

  it('returns a known result for any params', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.option(fc.string(), { nil: undefined }), (params, header) => {
        const any = { jsonrpc: '2.0', id: 1, method: 'm', params } as unknown as JsonRpcRequest;
        expect(['per-request', 'handshake', 'opened', 'refused']).toContain(
          classifyRequest(any, dialects, header).opening,
        );
      }),
    );
  });
});

describe('createRequestMeta', () => {
  it('carries capabilities, client and log level [meta.request-meta-shape meta.protocol-version-required]', () => {
    const facts = { capabilities: { roots: {} }, client: { name: 'a', version: '1' }, logLevel: 'error' as const };
    const sent = request('m', createRequestMeta(facts));
    expect(classifyRequest(sent, dialects)).toEqual({ opening: 'per-request', dialect: getNewestDialect(), ...facts });
  });

  it('omits client and log level when they are absent [meta.client-info-not-required]', () => {
    const sent = request('m', createRequestMeta({ capabilities: {}, client: undefined, logLevel: undefined }));
    expect(sent.params?._meta).toEqual(meta('2026-07-28'));
    expect(classifyRequest(sent, dialects)).toMatchObject({ client: undefined, logLevel: undefined });
  });
});

describe('findStatelessRoute', () => {
  it('returns the facts about a client, whose name may be no object [meta.client-info-not-required]', () => {
    const strange = meta('2026-07-28', { roots: {} }, { [`${PREFIX}clientInfo`]: 'x' });
    expect(findStatelessRoute(request('m', strange), dialects)).toEqual({
      opening: 'per-request',
      dialect: getNewestDialect(),
      capabilities: { roots: {} },
      client: undefined,
      logLevel: undefined,
    });
  });

  it('returns undefined for a request that names no version', () => {
    const other = request('initialize', { [`${PREFIX}clientCapabilities`]: {} });
    expect(findStatelessRoute(other, dialects)).toBeUndefined();
    expect(findStatelessRoute({ jsonrpc: '2.0', id: 1, method: 'ping' }, dialects)).toBeUndefined();
  });

  it('throws the error for a version that is not served, and for a log level that does not exist', () => {
    expect(() => findStatelessRoute(request('m', meta('2099-01-01')), dialects)).toThrow(
      'Unsupported protocol version',
    );
    const loud = meta('2026-07-28', {}, { [`${PREFIX}logLevel`]: 'loud' });
    expect(() => findStatelessRoute(request('m', loud), dialects)).toThrow('logLevel');
  });
});
