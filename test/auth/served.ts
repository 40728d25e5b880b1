import { createServer, prompt, resource, type ServerOptions, tool } from 'tenon';
import { insufficientScope, type ProtectOptions, type TokenVerifier } from 'tenon/auth';
import { createHandler } from 'tenon/http';
import { z } from 'zod';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import { parseChallenges } from '../../packages/base/src/oauth/www-authenticate.js';
import { createIssuer, RESOURCE } from '../../packages/tenon/src/auth/resource/fixtures/issuer.js';
import { createMeta } from '../input-requests/wire.js';

const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** A server whose tools, prompts and resources need scopes, and what ran in it. */
export function notes(options: Partial<ServerOptions> = {}) {
  const ran: string[] = [];
  const run = (what: string) => () => {
    ran.push(what);
    return what;
  };
  const server = createServer({
    name: 'notes',
    version: '1',
    inputRequests: { keys: [{ id: 'a', key: new Uint8Array(32).fill(1) }] },
    onError: () => {},
    ...options,
    tools: {
      whoami: tool({ run: (_, { auth }) => auth?.principal ?? 'nobody' }),
      read: tool({ scopes: ['notes:read'], run: run('read') }),
      write: tool({ scopes: ['notes:read', 'notes:write'], run: run('write') }),
      some: tool({
        input: z.object({ all: z.boolean() }),
        run: ({ all }) => {
          if (all) throw insufficientScope(['notes:all']);
          return 'some';
        },
      }),
      ask: tool({
        scopes: ['notes:read'],
        async run(_, ctx) {
          const answer = await ctx.elicit({ message: 'Sure?', input: z.object({ yes: z.boolean() }) });
          return answer.action;
        },
      }),
    },
    methods: {
      'notes/purge': { scopes: ['notes:read', 'notes:write'], run: () => ({ purged: run('purge')() }) },
      'notifications/notes/touched': { scopes: ['notes:write'], handle: () => void ran.push('touched') },
      ...options.methods,
    },
    prompts: {
      open: prompt({ run: run('open prompt') }),
      secret: prompt({
        scopes: ['notes:read', 'notes:write'],
        input: z.object({ who: z.string() }),
        complete: { who: ['ada'] },
        run: run('prompt'),
      }),
    },
    resources: {
      'note://open': resource({ read: run('open resource') }),
      'note://secret': resource({ scopes: ['notes:write'], read: run('resource') }),
      'note://secret/{id}': resource({ scopes: ['notes:deep'], list: () => [{ id: 'a' }], read: run('template') }),
    },
  });
  return { server, ran };
}

/** What a client sees of an answer. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  /** The first challenge. */
  readonly challenge: { readonly scheme: string; readonly params: Readonly<Record<string, string>> } | undefined;
  readonly text: string;
  readonly body: { readonly result?: JsonObject; readonly error?: { readonly code: number; readonly data?: unknown } };
}

export async function seen(response: Response): Promise<Seen> {
  const text = await response.text();
  const json = /data: (\{.*\})/.exec(text)?.[1] ?? text;
  return {
    status: response.status,
    headers: response.headers,
    challenge: parseChallenges(response.headers.get('www-authenticate') ?? undefined)[0],
    text,
    body: json === '' ? {} : JSON.parse(json),
  };
}

export type Fields = Readonly<Record<string, string>>;

/** Sends requests to something that answers as `fetch` does. */
export function visitor(send: (request: Request) => Promise<Response>, url: string) {
  const post = (message: object, headers: Fields) =>
    send(
      new Request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify(message),
      }),
    );
  return {
    /** A request that stands alone. */
    async alone(method: string, params: JsonObject, headers: Fields): Promise<Seen> {
      const name = params.name ?? params.uri ?? params.taskId;
      const mirrored = {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      };
      const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: createMeta({ capabilities }) } };
      return seen(await post(message, { ...mirrored, ...headers }));
    },
    /** Opens a session. Gives its id. */
    async open(headers: Fields, version = '2025-06-18'): Promise<string> {
      const params = {
        protocolVersion: version,
        capabilities: { elicitation: {} },
        clientInfo: { name: 'c', version: '1' },
      };
      const response = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, headers);
      await response.text();
      const id = response.headers.get('mcp-session-id') ?? '';
      await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { ...headers, 'mcp-session-id': id });
      return id;
    },
    /** A request of a session. */
    async within(session: string, method: string, params: JsonObject, headers: Fields, version = '2025-06-18') {
      const message = { jsonrpc: '2.0', id: 1, method, params };
      return seen(await post(message, { ...headers, 'mcp-session-id': session, 'mcp-protocol-version': version }));
    },
    async send(init: RequestInit & { path?: string }): Promise<Seen> {
      return seen(await send(new Request(new URL(init.path ?? '', url), init)));
    },
  };
}

/** A protected server, in this process, and an issuer. */
export async function served(options: Partial<ProtectOptions> = {}, more: Partial<ServerOptions> = {}) {
  const issuer = await createIssuer();
  const auth: TokenVerifier = issuer.protect(options);
  const { server, ran } = notes(more);
  const handler = createHandler(server, {
    auth,
    path: '/mcp',
    allowedHosts: ['mcp.example.com'],
    onError: () => {},
    clock: issuer.clock,
  });
  const bearer = async (claims: object = {}): Promise<Fields> => ({
    authorization: `Bearer ${await issuer.token(claims)}`,
  });
  return { issuer, server, ran, handler, bearer, ...visitor(request => handler(request), RESOURCE) };
}
