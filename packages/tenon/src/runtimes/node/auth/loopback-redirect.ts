import { randomBytes } from 'node:crypto';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Clock,
  checkClock,
  checkEither,
  checkFalse,
  checkFunction,
  checkOneOf,
  checkOptional,
  checkRange,
  checkText,
  checkWhole,
  requirePresentOptions,
  runWithTimeout,
  systemClock,
  TenonError,
} from '@tenon/base';
import type { Redirect } from '../../../auth/client/sign-in/redirect.js';
import { openBrowser } from './browser.js';

/** Options of `loopbackRedirect`. */
export interface LoopbackOptions {
  /**
   * Host of the redirect URI. Use `localhost` only where an authorization server refuses the address, because another
   * program may listen on the other address of `localhost`.
   * @default `127.0.0.1`
   */
  readonly host?: '127.0.0.1' | 'localhost' | undefined;
  /**
   * Preferred port. Another free port is used if this one is occupied.
   * @default the port of the last sign-in, else any free one
   */
  readonly port?: number | undefined;
  /**
   * Path of the redirect URI. Required if the redirect URI was registered manually. Authorization servers at which
   * the client registers itself then share it: see `confirmIssuer` of `signIn`.
   * @default a path of the authorization server alone
   */
  readonly path?: string | undefined;
  /**
   * Opens the page of the authorization server. `false` only prints the URL.
   * @default the user's browser
   */
  readonly open?: false | ((url: URL) => unknown) | undefined;
  /**
   * Shows the user what to do.
   * @default writes to standard error
   */
  readonly print?: ((text: string) => void) | undefined;
  /**
   * Maximum time for the user to sign in, in milliseconds.
   * @default 300,000 (5 minutes)
   */
  readonly timeout?: number | undefined;
  /**
   * Source of time, for tests.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

const SIGN_IN_TIMEOUT = 300_000;
const ADDRESS = '127.0.0.1';
const MAX_CONNECTIONS = 32;
const REQUEST_TIMEOUT = 10_000;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  connection: 'close',
};
const DONE_PAGE = renderPage('You can close this page and go back to the program.');
const OTHER_SIGN_IN_PAGE = renderPage(
  'This sign-in has ended. Complete the one on the newest page that the program opened.',
);
const UNEXPECTED_PAGE = renderPage('Nothing is expected here.');

/**
 * Creates a redirect that receives the authorization response on a loopback port. The port is open until the sign-in
 * ends, and accepts one response.
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export function loopbackRedirect(options: LoopbackOptions = {}): Redirect {
  requirePresentOptions<LoopbackOptions>('loopbackRedirect', options, {
    host: checkOptional(checkOneOf('127.0.0.1', 'localhost')),
    port: checkOptional(checkWhole('a port, 0 to 65535', 0, 65_535)),
    path: checkOptional(checkText('a path that begins with a slash', path => /^\/[^?#\s]*$/.test(path))),
    open: checkOptional(checkEither(checkFalse, checkFunction)),
    print: checkOptional(checkFunction),
    timeout: checkOptional(checkRange('a number of at least 1', 1)),
    clock: checkOptional(checkClock),
  });
  return {
    async begin(known, signal, issuerPath) {
      const server = http.createServer({
        requestTimeout: REQUEST_TIMEOUT,
        headersTimeout: REQUEST_TIMEOUT,
        // By default Node checks for late connections only every 30 s.
        connectionsCheckingInterval: 500,
      });
      server.maxConnections = MAX_CONNECTIONS;
      const path = await listen(server, listCandidates(known, options, issuerPath));
      const { port } = server.address() as AddressInfo;
      const uri = `http://${options.host ?? ADDRESS}:${port}${path}`;
      const close = () => {
        signal.removeEventListener('abort', close);
        server.close();
        server.closeIdleConnections();
      };
      signal.addEventListener('abort', close);
      if (signal.aborted) close();
      return {
        uri,
        close,
        async authorize(url, wanted) {
          const callbackUrl = waitForCallback(server, uri, url.searchParams.get('state') ?? '', options, wanted);
          const { open = openBrowser, print = text => void process.stderr.write(`${text}\n`) } = options;
          print(`To sign in, open this page:\n${url.href}\n`);
          // Without a browser the user can still open the printed URL.
          if (open !== false) await Promise.resolve(open(url)).catch(() => false);
          return callbackUrl;
        },
      };
    },
  };
}

interface ListenCandidate {
  readonly port: number;
  readonly path: string;
}

/**
 * Returns the addresses to listen on, the best first. Addresses that the client has registered come first, so that it
 * need not register again.
 */
function listCandidates(
  known: readonly string[],
  { host = ADDRESS, port = 0, path }: LoopbackOptions,
  issuerPath: string | undefined,
): ListenCandidate[] {
  const before = known.map(uri => new URL(uri)).filter(url => url.protocol === 'http:' && url.hostname === host);
  const again = before.map(url => ({ port: Number(url.port), path: url.pathname }));
  const required = path ?? (issuerPath === undefined ? undefined : `/callback/${issuerPath}`);
  const fresh = required ?? `/callback/${randomBytes(16).toString('base64url')}`;
  const fitting = again.filter(each => required === undefined || each.path === required);
  return [...fitting, { port, path: fresh }, { port: 0, path: fresh }];
}

async function listen(server: http.Server, [first, ...rest]: readonly ListenCandidate[]): Promise<string> {
  const { port, path } = first as ListenCandidate;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, ADDRESS, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return path;
  } catch (error) {
    if (rest.length > 0) return listen(server, rest);
    const received = (error as NodeJS.ErrnoException).code;
    throw new TenonError('auth/no-port', 'no free port for the redirect of the sign-in', {
      expected: `a free port on ${ADDRESS}`,
      received,
    });
  }
}

/** Waits for the request that belongs to this sign-in. All other requests are refused. */
function waitForCallback(
  server: http.Server,
  uri: string,
  state: string,
  { timeout = SIGN_IN_TIMEOUT, clock = systemClock }: LoopbackOptions,
  signal: AbortSignal,
): Promise<URL> {
  const received = new Promise<URL>((resolve, reject) => {
    server.on('request', (request, response) => {
      const url = checkCallback(request, uri, state);
      if (typeof url === 'number') {
        if (url === 405) response.setHeader('allow', 'GET');
        return void response.writeHead(url, HEADERS).end(url === 400 ? OTHER_SIGN_IN_PAGE : UNEXPECTED_PAGE);
      }
      response.writeHead(200, HEADERS).end(DONE_PAGE);
      resolve(url);
    });
    server.once('close', () => reject(new TenonError('auth/aborted', 'the sign-in was cancelled')));
  });
  const callbackUrl = runWithTimeout(() => received, {
    clock,
    timeout,
    hold: true,
    signal,
    onTimeout() {
      throw new TenonError('auth/timeout', `the sign-in timed out after ${timeout} ms`, { hint: 'sign in again' });
    },
  });
  received.catch(() => {});
  callbackUrl.catch(() => {});
  return callbackUrl;
}

/** Returns the URL that the browser was redirected to, or the status of a refusal. */
function checkCallback({ method, headers, url = '' }: http.IncomingMessage, uri: string, state: string): URL | number {
  const expected = new URL(uri);
  // With DNS rebinding a page sends its own host name to this address.
  if (headers.host !== expected.host) return 421;
  if (!url.startsWith('/') || url.split('?', 1)[0] !== expected.pathname) return 404;
  if (method !== 'GET') return 405;
  const callbackUrl = new URL(expected.origin + url);
  const states = callbackUrl.searchParams.getAll('state');
  return states.length === 1 && states[0] === state ? callbackUrl : 400;
}

function renderPage(text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign-in</title><p>${text}</p></html>\n`;
}
