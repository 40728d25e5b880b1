import { connect, createServer, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterEach, describe, expect, it } from 'vitest';

describe('closeStream', () => {
  let hungUp: boolean[] = [];
  let release = () => {};
  const server = createServer({
    name: 'long',
    version: '1.0.0',
    tools: {
      work: tool({
        async run(_, ctx) {
          hungUp.push(ctx.closeStream());
          const released = new Promise<void>(resolve => {
            release = resolve;
          });
          if (hungUp.at(-1)) await released;
          ctx.progress(1, 1);
          return 'done';
        },
      }),
    },
  });
  let serving: HttpServer | undefined;
  const serve = async () => {
    const gets: (string | undefined)[] = [];
    serving = await serveHttp(server, {
      port: 0,
      limits: { sseRetry: 10 },
      authorize: details => {
        if (details.method === 'GET') gets.push(details.header('last-event-id'));
        return { auth: undefined };
      },
    });
    return { url: serving.url, gets };
  };

  afterEach(async () => {
    hungUp = [];
    await serving?.close({ timeout: 0 });
    serving = undefined;
  });

  it('ends the connection, and the client reconnects for the response [http.sse.server-disconnects] [http.get.polling]', async () => {
    const { url, gets } = await serve();
    const client = await connect(url, { protocolVersion: '2025-11-25' });
    const received: number[] = [];
    const answer = client.callTool('work', {}, { onProgress: ({ progress }) => void received.push(progress) });
    await expect.poll(() => gets.filter(id => id !== undefined)).not.toEqual([]);
    release();
    expect(await answer).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
    expect(hungUp).toEqual([true]);
    expect(received).toEqual([1]);
    await client.close();
  });

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2026-07-28'])(
    'does nothing on %s, where no client would reconnect [http.sse.no-close-before-response]',
    async protocolVersion => {
      const { url } = await serve();
      const client = await connect(url, { protocolVersion });
      expect(await client.callTool('work')).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
      expect(hungUp).toEqual([false]);
      await client.close();
    },
  );

  it('does nothing without an HTTP connection', async () => {
    const client = await connect(server, { protocolVersion: '2025-11-25' });
    await client.callTool('work');
    expect(hungUp).toEqual([false]);
    await client.close();
  });
});
