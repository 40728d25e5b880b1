import { describe, expect, it } from 'vitest';
import type { HttpExchangeView } from '../api.js';
import { describeHttpDifferences, findMessageRequest } from './http-differences.js';

const versions = ['2025-06-18', '2025-11-25', '2026-07-28'];

const exchange = (
  status: number | null,
  requestNames: readonly string[],
  type: string,
  responseNames: readonly string[] = [],
): HttpExchangeView => ({
  method: 'POST',
  url: 'http://127.0.0.1:1/mcp',
  requestHeaders: requestNames.map(name => [name, 'value'] as const),
  status,
  responseHeaders: [
    ...(type === '' ? [] : [['content-type', type] as const]),
    ...responseNames.map(name => [name, 'x'] as const),
  ],
  firstByte: 1,
  took: 1,
});

describe('the HTTP requests of a message on several versions [con.revision]', () => {
  it('differ by the names of headers, the status and the form of the response', () => {
    const session = exchange(200, ['Mcp-Session-Id', 'Content-Length', 'accept'], 'text/event-stream; charset=utf-8');
    const stateless = exchange(202, ['mcp-method', 'mcp-name', 'accept'], 'application/json', [
      'Date',
      'cache-control',
    ]);
    expect(describeHttpDifferences([session, session, stateless], versions)).toEqual([
      'HTTP: status 200 on 2025-06-18 and 2025-11-25, 202 on 2026-07-28.',
      'HTTP: response as text/event-stream on 2025-06-18 and 2025-11-25, application/json on 2026-07-28.',
      'HTTP: request headers only on 2026-07-28: mcp-method and mcp-name.',
      'HTTP: request headers only on 2025-06-18 and 2025-11-25: mcp-session-id.',
      'HTTP: response headers only on 2026-07-28: cache-control.',
    ]);
  });

  it('name no difference of the connection, of a version without HTTP, or of a response that has not come', () => {
    const post = exchange(200, ['Host', 'connection'], 'application/json', ['Date', 'etag']);
    const other = exchange(200, ['content-length'], 'application/json', ['transfer-encoding']);
    expect(describeHttpDifferences([post, other], versions)).toEqual([]);
    expect(describeHttpDifferences([post, undefined], versions)).toEqual([]);
    expect(describeHttpDifferences([post, exchange(null, [], '')], versions)).toEqual([]);
  });

  it('name at most six headers in one sentence', () => {
    const many = exchange(200, [...'abcdefgh'], '');
    expect(describeHttpDifferences([many, exchange(200, [], '')], versions)).toEqual([
      'HTTP: request headers only on 2025-06-18: a, b, c, d, e, f and 2 more.',
    ]);
  });

  it('leave out the requests that authorize a message, and the one that ends its session', () => {
    const stream = ['accept', 'application/json, text/event-stream'] as const;
    const post = { ...exchange(200, [], 'application/json'), requestHeaders: [stream] };
    const refused = { ...post, status: 401 };
    const token = exchange(200, ['accept'], 'application/json');
    const ending = { ...post, method: 'DELETE' };
    expect(findMessageRequest([refused, token, post, ending])).toBe(post);
    expect(findMessageRequest([token])).toBeUndefined();
  });
});
