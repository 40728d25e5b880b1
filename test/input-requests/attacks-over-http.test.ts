import { serveHttp } from 'tenon/node';
import { describe, expect, it } from 'vitest';
import { createGuardedServer, type SentCall, sentCall } from './guarded-server.js';
import { createMeta, getRetry, type WireResponse } from './wire.js';

/** The same server on a port, whose callers are whom they say they are. */
async function served() {
  const on = createGuardedServer();
  const http = await serveHttp(on.server, {
    port: 0,
    authorize: facts => ({ auth: { principal: facts.header('authorization') ?? 'nobody' } }),
  });
  const post = async (
    { method, params, principal = 'nobody' }: SentCall,
    more: object = {},
    body?: (text: string) => Uint8Array,
  ) => {
    const text = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { ...params, ...more, _meta: createMeta({}) },
    });
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
      ...((await response.json()) as WireResponse),
    };
  };
  return { ...on, post, close: () => http.close() };
}

describe('requestState over HTTP', () => {
  it('is accepted for its user and request, once [mrtr.request-state-principal-bound mrtr.request-state-request-bound mrtr.request-state-single-use mrtr.request-state-rejection-code mrtr.single-response-preferred]', async () => {
    const { post, ran, close } = await served();
    const first = await post(sentCall);
    expect(first).toMatchObject({ status: 200, type: 'application/json', result: { resultType: 'input_required' } });
    const retry = getRetry(first);
    const entered = [...ran];
    const others: SentCall[] = [
      { ...sentCall, principal: 'eve' },
      { ...sentCall, method: 'prompts/get' },
      { ...sentCall, params: { name: 'other', arguments: { what: 'a' } } },
      { ...sentCall, params: { name: 'guarded', arguments: { what: 'b' } } },
      { ...sentCall, method: 'resources/read', params: { uri: 'x:guarded' } },
    ];
    for (const other of others)
      expect(await post(other, retry)).toMatchObject({ status: 200, error: { code: -32602 } });
    expect(ran).toEqual(entered);
    const second = getRetry(await post(sentCall, retry));
    expect(await post(sentCall, retry)).toMatchObject({ error: { code: -32602 } });
    expect(await post(sentCall, second)).toMatchObject({ result: { resultType: 'complete' } });
    expect(await post(sentCall, second)).toMatchObject({ error: { code: -32602 } });
    expect(ran.filter(each => each.startsWith('step'))).toEqual(['step before', 'step between', 'step after']);
    await close();
  });

  it('is refused with any flipped byte before the handler runs [mrtr.request-state-tampered-rejected]', async () => {
    const { post, ran, close } = await served();
    const retry = getRetry(await post(sentCall));
    const entered = [...ran];
    const { length } = retry.requestState;
    for (let at = 0; at < length; at += 1) {
      const { error, result } = await post(sentCall, retry, text => {
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
    expect(await post(sentCall, retry)).toMatchObject({ result: { resultType: 'input_required' } });
    await close();
  });
});
