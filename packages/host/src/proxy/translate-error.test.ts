import { type ErrorDetails, getErrorType, rpcError, TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { toErrorObject } from '../../../tenon/src/jsonrpc/error-response.js';
import type { Dialect } from '../../../tenon/src/protocol/versions/dialect.js';
import { getDialect } from '../../../tenon/src/protocol/versions/index.js';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import { toCallerError } from './translate-error.js';

const [oldest, newest] = ['2025-06-18', '2026-07-28'].map(each => getDialect(each) as Dialect) as [Dialect, Dialect];
const line = (version: string) =>
  ({ server: 'notes', openClient: { server: { protocolVersion: version } } }) as unknown as UpstreamConnection;
const error = (code: string, details: ErrorDetails = {}, summary = 'something') =>
  new TenonError(code, summary, details);
const cross = (thrown: unknown, method = 'tools/call', to = newest, from = '2025-06-18') =>
  toCallerError(thrown, {
    connection: line(from),
    method,
    params: { name: 'add', arguments: { items: [{}] } },
    dialect: to,
  });

describe('toCallerError', () => {
  it('keeps the code, message and data of the server', () => {
    const other = error('peer/error', { rpcCode: -32050, data: { a: 1 } }, 'locked');
    expect(cross(other)).toMatchObject({ code: 'rpc/error', rpcCode: -32050, summary: 'locked', data: { a: 1 } });
    const own = rpcError(-32602, 'Unknown tool');
    expect(cross(own)).toBe(own);
  });

  it('names the invalid arguments of the caller, and hides paths of files', () => {
    const text = 'Invalid arguments for tool add: at /items/0/name: is required\nat /home/ada/x.json: not found';
    expect(cross(error('peer/error', { rpcCode: -32602 }, text)).summary).toBe(
      'Invalid arguments for tool add: at /items/0/name: is required',
    );
  });

  it.each([-32700, -32600, -32601, -32020, -32022])(
    'converts the code %d, which would seem to be of the host',
    rpcCode => {
      const other = error('peer/error', { rpcCode, data: { a: 1 } }, 'Method not found: x');
      expect(cross(other)).toMatchObject({ rpcCode: -32603, summary: 'Method not found: x', data: { a: 1 } });
    },
  );

  it('removes secrets, and limits the message to 500 characters', () => {
    const other = error('peer/error', { rpcCode: -5 }, `refused for token=ghp_${'a'.repeat(36)} ${'x'.repeat(1000)}`);
    const { summary } = cross(other);
    expect(summary).toMatch(/^refused for /);
    expect(summary).not.toContain('ghp_aaa');
    expect(summary).toHaveLength(500);
  });

  it('uses the error code of the caller for a missing resource', () => {
    const { errors: other } = oldest;
    const lost = error('peer/error', { rpcCode: other.resourceNotFound, data: { uri: 'note://x' } });
    expect(cross(lost, 'resources/read').rpcCode).toBe(newest.errors.resourceNotFound);
    expect(cross(lost, 'resources/read', oldest).rpcCode).toBe(other.resourceNotFound);
    expect(cross(lost, 'prompts/get').rpcCode).toBe(other.resourceNotFound);
  });

  it.each(['call/outcome-unknown', 'call/timeout', 'peer/malformed', 'peer/invalid-result'])(
    'states for %s of a call that it may have been carried out',
    code => {
      const result = cross(error(code));
      expect(result).toMatchObject({ rpcCode: -32603, data: { server: 'notes', code } });
      expect(result.summary).toMatch(
        /^The server "notes" did not respond correctly to tools\/call .*It may have been carried out\.$/,
      );
      expect(cross(error(code), 'resources/read').summary).not.toContain('carried out');
    },
  );

  it.each(['host/backoff', 'host/start-timeout', 'stdio/spawn', 'connect/no-shared-version'])(
    'states for %s nothing about an unknown outcome',
    code => expect(cross(error(code)).summary).not.toContain('carried out'),
  );

  it.each(['stdio/exited', 'http/unreachable', 'host/backoff', 'call/timeout', 'call/outcome-unknown'])(
    'uses the code %s of its cause, which the caller gets as data',
    code => {
      const translated = cross(error(code, { rpcCode: code === 'stdio/exited' ? -32000 : undefined }));
      expect([getErrorType(translated), toErrorObject(translated).data]).toMatchObject([code, { code }]);
    },
  );

  it('uses the number of an error of the server, whatever its data contains', () => {
    const other = error('peer/error', { rpcCode: -32050, data: { server: 'notes', code: 'host/backoff' } });
    expect(getErrorType(cross(other))).toBe('-32050');
    expect(getErrorType(cross(error('peer/error', { rpcCode: -32050, data: { outcome: 'unknown' } })))).toBe(
      'call/outcome-unknown',
    );
  });

  it('returns 503 for the store of the host, unless the server may have carried the call out [so.outage-auth]', () => {
    const outage = error('store/unavailable', {}, 'Postgres at 10.0.0.7:5432: not available');
    for (const [method, wasSent] of [
      ['tools/list', true],
      ['tools/call', false],
    ] as const) {
      const result = toCallerError(outage, {
        connection: line('2025-06-18'),
        method,
        params: {},
        dialect: newest,
        wasSent,
      });
      expect(toErrorObject(result)).toMatchObject({ code: 503, data: { retryAfterMs: 5000 } });
    }
    const sent = cross(outage);
    expect(sent).toMatchObject({ rpcCode: -32603, data: { outcome: 'unknown' } });
    expect(JSON.stringify([sent.summary, sent.data])).not.toContain('10.0.0.7');
  });

  it('treats a local error not as a response of the server', () => {
    const tooLong = error('stdio/line-too-long', { rpcCode: -32700 }, 'received a line that is too long');
    expect(cross(tooLong)).toMatchObject({ rpcCode: -32603, summary: expect.stringContaining('"notes"') });
  });

  it('hides the stderr and the path of the server', () => {
    const details = { peer: 'stdio: /home/ada/secret', hint: 'look at /home/ada' };
    const result = cross(
      error('stdio/exited', details, 'the server exited with code 3: last lines of stderr:\n  token=1234'),
    );
    expect(JSON.stringify([result.summary, result.data, result.message])).not.toMatch(/token|home/);
    expect(result.summary).toContain('exited with code 3');
  });

  it('names a missing feature, and accepts any thrown value', () => {
    const result = cross(error('call/not-offered'), 'completion/complete');
    expect(result.summary).toBe('The server "notes" does not offer completion/complete');
    expect(cross(new Error('plain'))).toMatchObject({ code: 'internal/unexpected' });
  });

  it("returns a URL elicitation in the form of the caller's version", () => {
    const { urlElicitationRequired: rpcCode } = (getDialect('2025-11-25') as Dialect).errors;
    const elicitations = [{ mode: 'url', elicitationId: '1', url: 'https://example.com/in', message: 'Sign in' }];
    const result = cross(
      error('peer/error', { ...(rpcCode ? { rpcCode } : {}), data: { elicitations } }),
      'tools/call',
      newest,
      '2025-11-25',
    );
    expect(JSON.stringify(result.data ?? result)).toContain('https://example.com/in');
  });
});
