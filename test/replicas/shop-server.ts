import { createServer, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { z } from 'zod';

/** A server behind gateways. It counts the effects of its calls, and its sessions have state. */
export interface ShopServer {
  readonly url: string;
  /** Number of times that a call took effect, by its id. */
  readonly effects: ReadonlyMap<string, number>;
  /** Ends the calls that wait. */
  release(): void;
  notifyUpdated(): void;
  close(): Promise<void>;
}

export async function startShop(): Promise<ShopServer> {
  const effects = new Map<string, number>();
  const counters = new Map<string, number>();
  const waiting = new Set<() => void>();
  const addEffect = (id: string) => effects.set(id, (effects.get(id) ?? 0) + 1);
  const server = createServer({
    name: 'shop',
    version: '1.0.0',
    protocolVersions: ['2025-11-25'],
    rateLimits: false,
    resources: { 'note://a': { read: () => 'a' } },
    tools: {
      plain: tool({ run: () => 'plain' }),
      counted: tool({ run: () => 'counted' }),
      // Counts the calls of one session.
      next: tool({
        run(_, ctx) {
          const session = ctx.request?.header('mcp-session-id') ?? '';
          counters.set(session, (counters.get(session) ?? 0) + 1);
          return String(counters.get(session));
        },
      }),
      pay: tool({
        input: z.object({ id: z.string() }),
        run({ id }) {
          addEffect(id);
          return `paid ${id}`;
        },
      }),
      slow: tool({
        input: z.object({ id: z.string() }),
        async run({ id }) {
          addEffect(id);
          await new Promise<void>(resolve => waiting.add(resolve));
          return 'done';
        },
      }),
      paced: tool({
        run(_, ctx) {
          for (let step = 1; step <= 3; step++) ctx.progress(step, 3);
          return 'done';
        },
      }),
      form: tool({
        async run(_, ctx) {
          const answer = await ctx.elicit({ message: 'Name?', input: z.object({ name: z.string() }) });
          return `Hello ${answer.content?.name}`;
        },
      }),
    },
  });
  const http: HttpServer = await serveHttp(server, { port: 0 });
  return {
    url: http.url,
    effects,
    release() {
      for (const resolve of waiting) resolve();
    },
    notifyUpdated: () => server.notifyResourceUpdated('note://a'),
    close: () => http.close({ timeout: 0 }),
  };
}
