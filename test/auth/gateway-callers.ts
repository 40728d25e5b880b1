/** A gateway with callers whom an issuer names, in front of a server that has another issuer. All on loopback. */
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAudit, createHost } from '@tenon/host';
import { createIssuer } from '@tenon/issuer';
import { type ClientOptions, type Clock, connect, createServer, tool } from 'tenon';
import { createCallerSignIn, memoryTokenStore, protect, signIn } from 'tenon/auth';
import { loopbackRedirect } from 'tenon/auth/node';
import { createHandler } from 'tenon/http';
import { toNode } from 'tenon/node';
import { browse } from './scripted-browser.js';

export const USERS = { ada: 'secret of ada', bob: 'secret of bob' };
export type User = keyof typeof USERS;

/** The forms of both issuers, as a user fills them in. */
export const formOf = (name: User) => () => ({ answer: 'allow', name, password: USERS[name] });

/** An HTTP server whose listener is known only when its port is. */
export async function listenFirst() {
  const listeners: RequestListener[] = [];
  const http: Server = createHttpServer((request, response) => listeners[0]?.(request, response));
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const close = async () => {
    http.closeAllConnections();
    await new Promise(resolve => http.close(resolve));
  };
  return { url, listeners, close };
}

/** An authorization server with those users. */
export async function serveIssuer() {
  const { url, listeners, close } = await listenFirst();
  const create = () => toNode(createIssuer({ url, users: USERS }));
  let issuer = create();
  let refusal: string | undefined;
  listeners.push((request, response) => {
    const first = new URL(request.url ?? '', url);
    if (refusal === undefined || first.pathname !== '/authorize') return issuer(request, response);
    const location = new URL(first.searchParams.get('redirect_uri') ?? '');
    location.search = String(
      new URLSearchParams({ error: refusal, state: first.searchParams.get('state') ?? '', iss: url }),
    );
    refusal = undefined;
    response.writeHead(302, { location: location.href }).end();
  });
  return {
    url,
    close,
    /** Loses all clients, grants and keys. */
    forgetAll() {
      issuer = create();
    },
    /** Answers the next authorization request with this error. */
    refuseNext(error: string) {
      refusal = error;
    },
  };
}

/** A server that says who calls it. `tokens`: those that were sent to it. */
export async function serveUpstream(issuer: string) {
  const { url, listeners, close } = await listenFirst();
  const tokens = new Set<string>();
  const whoami = tool({ run: (_, { auth }) => `You are ${auth?.claims?.sub}` });
  const server = createServer({
    name: 'remote',
    version: '1.0.0',
    tools: { whoami },
    resources: { 'note://a': { read: () => 'a' } },
  });
  const create = () =>
    toNode(createHandler(server, { auth: protect({ resource: `${url}/mcp`, issuers: [issuer] }), path: '/mcp' }));
  let listener = create();
  listeners.push((request, response) => {
    const { authorization } = request.headers;
    if (authorization) tokens.add(authorization);
    listener(request, response);
  });
  /** Forgets the keys of the issuer, so that the next request reads them again. */
  const forgetKeys = () => {
    listener = create();
  };
  return { url: `${url}/mcp`, tokens, close, forgetKeys };
}

/** Signs a client in at the gateway as this user. */
export function clientOf(url: string, user: User, options: ClientOptions = {}) {
  const open = (page: URL) => void browse(page, formOf(user)).catch(() => {});
  const auth = signIn({ redirect: loopbackRedirect({ print: () => {}, open }) });
  return connect({ url, auth }, options);
}

export async function serveGateway({ clock }: { readonly clock?: Clock } = {}) {
  const [own, other] = [await serveIssuer(), await serveIssuer()];
  const upstream = await serveUpstream(other.url);
  const { url, listeners, close } = await listenFirst();
  const resource = `${url}/mcp`;
  const tokenVerifier = protect({ resource, issuers: [own.url] });
  const lines: string[] = [];
  const audit = await createAudit({ append: async line => void lines.push(line) });
  const callerSignIn = createCallerSignIn({
    url: `${url}/sign-in`,
    resource,
    issuer: own.url,
    tokenVerifier,
    tokenStore: memoryTokenStore(),
    ...(clock ? { clock } : {}),
  });
  const host = await createHost({
    servers: { remote: { url: upstream.url } },
    prefix: 'always',
    callerSignIn,
    audit,
    onError: () => {},
  });
  const handler = createHandler(host.toServer(), { auth: tokenVerifier, path: '/mcp' });
  const [pages, mcp] = [toNode(callerSignIn), toNode(handler)];
  listeners.push((request, response) => mcp(request, response, () => pages(request, response)));
  return {
    url: resource,
    upstream,
    /** The authorization server of the gateway, and that of the server behind it. */
    own,
    other,
    /** Forgets the keys of the authorization server of the gateway, so that the next request reads them again. */
    host,
    records: async () => {
      await audit.flush();
      return lines.join('\n');
    },
    async close() {
      await handler.close({ timeout: 0 });
      await host.close();
      await Promise.all([close(), upstream.close(), own.close(), other.close()]);
    },
  };
}
