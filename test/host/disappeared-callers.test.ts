import { createHost } from '@tenon/host';
import { fakeClock } from '@tenon/testing';
import { createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const JSON_TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const UNATTENDED_TIMEOUT = 60_000;

/** A gateway that opens at most two connections to its server, whose tool waits for the user. */
async function startGateway() {
  const clock = fakeClock();
  const confirm = tool({
    run: async (_, ctx) => (await ctx.elicit({ message: 'Sure?', input: z.object({ yes: z.boolean() }) })).action,
  });
  const echo = tool({ run: () => 'echo' });
  const service = createServer({ name: 'upstream', version: '1', tools: { confirm, echo } });
  const options = { clock, prefix: 'never', maxConnectionsPerServer: 2, maxShare: 1, onError: () => {} } as const;
  const host = await createHost({ ...options, servers: { upstream: { service } } });
  const limits = { keepAliveInterval: 0, unattendedTimeout: UNATTENDED_TIMEOUT };
  const gateway = await serveHttp(host.toServer(), { port: 0, clock, limits });
  onTestFinished(async () => {
    await Promise.all([gateway.close({ timeout: 0 }), host.close()]);
  });
  return { url: gateway.url, clock };
}

/** Opens a session of a client that can be asked, by plain HTTP requests, so that it can disappear without a word. */
async function openSession(url: string) {
  const left = new AbortController();
  let headers: Record<string, string> = JSON_TYPES;
  const post = (message: object) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }), signal: left.signal });
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo };
  const opened = await post({ id: 0, method: 'initialize', params });
  headers = { ...JSON_TYPES, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  await post({ method: 'notifications/initialized' });
  onTestFinished(() => left.abort());
  const call = (id: number, name: string) => post({ id, method: 'tools/call', params: { name, arguments: {} } });
  return { call, disappear: () => left.abort() };
}

/** Calls the tool that waits for the user, and reads until the input request arrives. */
async function callAndReadRequest({ call }: Awaited<ReturnType<typeof openSession>>) {
  const reader = (await call(1, 'confirm')).body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; !text.includes('elicitation/create'); text += (await reader?.read())?.value ?? '');
}

it('gives a new caller the connection of one that disappeared during an input request', async () => {
  const { url, clock } = await startGateway();
  const sessions = [await openSession(url), await openSession(url)];
  for (const session of sessions) await callAndReadRequest(session);
  const next = await openSession(url);
  const refused: unknown = await (await next.call(1, 'echo')).json();
  expect(refused).toMatchObject({
    error: {
      code: 429,
      message: expect.stringMatching(/connections in use.*maxConnectionsPerServer/),
      data: { retryAfterMs: 1000 },
    },
  });
  sessions[0]?.disappear();
  // The server notices the end of the stream later than the client. After many minutes, another timeout ends the call.
  let minutes = 5;
  await expect
    .poll(
      async () => {
        if (minutes-- > 0) clock.advance(UNATTENDED_TIMEOUT);
        return (await next.call(2, 'echo')).json();
      },
      { timeout: 10_000 },
    )
    .toMatchObject({ result: { content: [{ text: 'echo' }] } });
});

it('keeps the connection of a caller whose stream is open during an input request', async () => {
  const { url, clock } = await startGateway();
  const sessions = [await openSession(url), await openSession(url)];
  for (const session of sessions) await callAndReadRequest(session);
  clock.advance(10 * UNATTENDED_TIMEOUT);
  const next = await openSession(url);
  expect(await (await next.call(1, 'echo')).json()).toMatchObject({ error: {} });
});
