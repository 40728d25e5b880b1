import type * as http from 'node:http';
import * as https from 'node:https';
import { decodeComponent, isLoopbackDomain, parseUrl, TenonError } from '@tenon/base';
import { nodeHttp } from './node-http.js';

/** Variables that name a proxy. Their upper-case names count too. */
const VARIABLES = ['https_proxy', 'http_proxy', 'all_proxy'];

/** Way of a request through a proxy. */
export interface ProxyRoute {
  /** Sends requests on this way. */
  readonly send: typeof http.request;
  /** The socket event after which written data may reach the server. */
  readonly connected: 'connect' | 'secureConnect';
  /** Options of each request. */
  readonly options: http.RequestOptions;
  /** Header fields to add. Those for the proxy never reach a server behind a tunnel. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Creates a function that finds the proxy for a URL in `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`. It
 * returns `undefined` for a direct connection. Requests to this machine never use a proxy.
 *
 * @throws TenonError `http/proxy` when the variable has no URL of an HTTP proxy.
 */
export function createProxyRouter(
  agentOptions: https.AgentOptions,
): (url: URL) => Promise<ProxyRoute | undefined> | undefined {
  const agents = new Map<string, http.Agent>();
  const getAgent = (key: string, create: () => http.Agent): http.Agent => {
    const agent = agents.get(key) ?? create();
    agents.set(key, agent);
    return agent;
  };

  const findRoute = async (url: URL): Promise<ProxyRoute | undefined> => {
    const { createTunnelAgent, getProxyForUrl } = await import('./proxy-tunnel.js');
    const given = getProxyForUrl(url);
    if (given === '') return undefined;
    const proxy = parseProxy(given);
    const path = url.pathname + url.search;
    if (url.protocol === 'https:') {
      const agent = getAgent(proxy.href, () => createTunnelAgent(proxy, agentOptions));
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const options = { host, port: url.port || 443, path, agent };
      return { send: https.request, connected: 'secureConnect', options, headers: {} };
    }
    const isSecure = proxy.protocol === 'https:';
    const { Agent, request: send } = isSecure ? https : nodeHttp;
    const { username, password } = proxy;
    const credentials = [username, password].map(decodeComponent).join(':');
    const hasCredentials = username !== '' || password !== '';
    const authorization = hasCredentials && {
      'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}`,
    };
    return {
      send,
      connected: isSecure ? 'secureConnect' : 'connect',
      options: {
        host: proxy.hostname.replace(/^\[|\]$/g, ''),
        port: proxy.port || (isSecure ? 443 : 80),
        path: url.origin + path,
        agent: getAgent(proxy.protocol, () => new Agent(agentOptions)),
      },
      headers: { host: url.host, ...authorization },
    };
  };
  return url => {
    const isConfigured = VARIABLES.some(name => readVariable(name) !== '');
    return isConfigured && !isLoopbackDomain(url.hostname) ? findRoute(url) : undefined;
  };
}

/**
 * Finds the proxy for a request with `node:http` or `node:https`, in `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and
 * `NO_PROXY`. Call `route.send(url, { …options, ...route.options, headers: { …headers, ...route.headers } })`. Connections are
 * closed after each request. Resolves with `undefined` for a direct connection.
 *
 * @throws TenonError `http/proxy` when the variable has no URL of an HTTP proxy.
 */
export async function findProxyRoute(url: URL): Promise<ProxyRoute | undefined> {
  return findUnpooledRoute(url);
}

const findUnpooledRoute = createProxyRouter({});

const readVariable = (name: string): string => process.env[name] || process.env[name.toUpperCase()] || '';

/** Parses the URL of a proxy. A value without a scheme is an HTTP proxy, as in curl. Errors contain no credentials. */
function parseProxy(given: string): URL {
  const bare = given.slice(given.indexOf('://') + 3);
  const text = VARIABLES.some(name => readVariable(name) === bare) ? `http://${bare}` : given;
  const createError = (received: string) =>
    new TenonError('http/proxy', 'invalid URL of a proxy in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY', {
      expected: 'a URL such as http://proxy.example:3128',
      received,
      hint: 'correct the variable, or add the host of the server to NO_PROXY',
    });
  const url = parseUrl(text);
  if (!url) throw createError('a text that is not a URL');
  if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  throw createError(`the scheme ${url.protocol.slice(0, 20)}`);
}

/**
 * Converts the error of a proxy that cannot be reached or refused a tunnel. Returns `undefined` for other errors.
 *
 * @param headers Those of the route. Undefined for a direct connection.
 */
export function toProxyError(
  { message, syscall }: NodeJS.ErrnoException,
  headers: ProxyRoute['headers'] | undefined,
): TenonError | undefined {
  // Behind a tunnel, only the proxy opens connections to the server.
  if (headers && (syscall === 'connect' || syscall === 'getaddrinfo'))
    return new TenonError('http/unreachable', 'cannot connect: the proxy cannot be reached', {
      received: message,
      hint: 'correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, or add the host of the server to NO_PROXY',
    });
  const [, status] = /^Bad response: (\d{3})$/.exec(message) ?? [];
  if (status === undefined) return undefined;
  return new TenonError('http/unreachable', 'cannot connect: the proxy refused the connection', {
    received: `HTTP ${status} from the proxy`,
    hint:
      status === '407'
        ? 'check the name and the password in HTTPS_PROXY'
        : 'ask the operator of the proxy to allow this host, or add the host to NO_PROXY',
  });
}
