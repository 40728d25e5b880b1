import { serveHttp } from 'tenon/node';
import { describe, expect, it } from 'vitest';
import { guarded, type Sent, sent } from './guarded.js';
import { type Answer, metaOf, retryOf } from './wire.js';

/** The same server on a port, whose callers are whom they say they are. */
async function served() {
  const on = guarded();
  const http = await serveHttp(on.server, {
    port: 0,
    authorize: facts => ({ auth: { principal: facts.header('authorization') ?? 'nobody' } }),
  });
  const post = async (
    { method, params, principal = 'nobody' }: Sent,
    more: object = {},
    body?: (text: string) => Uint8Array,
  ) => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, ...more, _meta: metaOf({}) } });
    const response = await fetch(http.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params.name ?? params.uri),
        authorization: principal,
      },
      body: (body?.(text) ?? text) as never,
    });
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      ...((await response.json()) as Answer),
    };
  };
  return { ...on, post, close: () => http.close() };
}

describe('over HTTP', () => {
  it('a state is taken by whom it was made for, once, for what it was made for [mrtr.request-state-principal-bound mrtr.request-state-request-bound mrtr.request-state-single-use mrtr.request-state-rejection-code mrtr.single-response-preferred]', async () => {
    const { post, ran, close } = await served();
    const asked = await post(sent);
    expect(asked).toMatchObject({ status: 200, type: 'application/json', result: { resultType: 'input_required' } });
    const retry = retryOf(asked);
    const entered = [...ran];
    const others: Sent[] = [
      { ...sent, principal: 'eve' },
      { ...sent, method: 'prompts/get' },
      { ...sent, params: { name: 'other', arguments: { what: 'a' } } },
      { ...sent, params: { name: 'guarded', arguments: { what: 'b' } } },
      { ...sent, method: 'resources/read', params: { uri: 'x:guarded' } },
    ];
    for (const other of others)
      expect(await post(other, retry)).toMatchObject({ status: 200, error: { code: -32602 } });
    expect(ran).toEqual(entered);
    const second = retryOf(await post(sent, retry));
    expect(await post(sent, retry)).toMatchObject({ error: { code: -32602 } });
    expect(await post(sent, second)).toMatchObject({ result: { resultType: 'complete' } });
    expect(await post(sent, second)).toMatchObject({ error: { code: -32602 } });
    expect(ran.filter(each => each.startsWith('step'))).toEqual(['step before', 'step between', 'step after']);
    await close();
  });

  it('a state with any byte flipped on its way is refused, and nothing runs [mrtr.request-state-tampered-rejected]', async () => {
    const { post, ran, close } = await served();
    const retry = retryOf(await post(sent));
    const entered = [...ran];
    const { length } = retry.requestState;
    for (let at = 0; at < length; at += 1) {
      const { error, result } = await post(sent, retry, text => {
        const bytes = Buffer.from(text);
        const place = bytes.indexOf(retry.requestState) + at;
        bytes[place] = (bytes[place] as number) ^ (1 << (at % 8));
        return bytes;
      });
      // Some flips make it no JSON.
      expect([-32602, -32700], `at ${at}`).toContain(error?.code);
      expect(result).toBeUndefined();
    }
    expect(ran).toEqual(entered);
    expect(await post(sent, retry)).toMatchObject({ result: { resultType: 'input_required' } });
    await close();
  });
});
