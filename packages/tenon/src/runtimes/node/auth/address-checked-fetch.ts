import { type LookupAddress, lookup } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import {
  type AuthFetch,
  type ByteFetch,
  checkAbsoluteUrl,
  checkGuard,
  checkObject,
  requireArgument,
  TenonError,
  type UrlGuard,
} from '@tenon/base';
import { ACCEPT_ENCODING } from '../http/accept-encoding.js';
import { decodeBody } from '../http/decode-body.js';
import { findProxyRoute, type ProxyRoute, toProxyError } from '../http/proxy.js';

/**
 * Requests URLs of authorization servers. Refuses host names that resolve to private addresses, on every connection.
 *
 * A host that the user configured is exempt. A proxy of `HTTPS_PROXY` or `HTTP_PROXY` resolves names itself, so that
 * only names and addresses in URLs are checked then.
 */
export const fetchWithAddressCheck: ByteFetch = async (address, init, guard) => {
  requireArgument('the URL of fetchWithAddressCheck', address, checkAbsoluteUrl);
  requireArgument('`init` of fetchWithAddressCheck', init, checkObject());
  requireArgument('`guard` of fetchWithAddressCheck', guard, checkGuard);
  const url = new URL(address);
  const route = await findProxyRoute(url);
  // The proxy connects to the address, so that only the name can be checked.
  if (route) guard.check(url, 'a URL of the authorization');
  return sendRequest(url, init, guard, route);
};

/** Adds the default `fetch` of Node to the options of a function, which errors name. */
export function withAddressCheck<T extends { readonly fetch?: AuthFetch | undefined }>(
  subject: string,
  options: T,
): T & { readonly fetch: AuthFetch } {
  // The options are read here, before the function that takes them checks their names.
  requireArgument(`the object with the options of ${subject}`, options, checkObject());
  return { ...options, fetch: options.fetch ?? fetchWithAddressCheck };
}

function sendRequest(
  url: URL,
  init: Parameters<ByteFetch>[1],
  guard: UrlGuard,
  route: ProxyRoute | undefined,
): ReturnType<ByteFetch> {
  const send = route?.send ?? (url.protocol === 'https:' ? https.request : http.request);
  const { method, headers, body, signal } = init;
  // The type has a signature for a text and another for bytes, and none for both.
  const bytes = body && Buffer.from(body as string);
  return new Promise((resolve, reject) => {
    const options = {
      method,
      headers: {
        'accept-encoding': ACCEPT_ENCODING,
        ...headers,
        // Node sends the body of a DELETE without its length, and a server reads it as the next request.
        ...(bytes && { 'content-length': bytes.length }),
        ...route?.headers,
      },
      signal: signal as NonNullable<RequestInit['signal']>,
      ...(route ? route.options : { lookup: createGuardedLookup(guard, url), agent: false }),
    };
    const clientRequest = send(url, options as http.RequestOptions, reply => {
      const responseHeaders = new Headers();
      for (const [name, value] of Object.entries(reply.headers)) responseHeaders.append(name, String(value));
      resolve({
        status: reply.statusCode ?? 0,
        headers: responseHeaders,
        body: Readable.toWeb(decodeBody(reply)) as never,
      });
    });
    clientRequest.once('error', error => reject(toProxyError(error, route?.headers) ?? error));
    clientRequest.end(bytes);
  });
}

function createGuardedLookup(guard: UrlGuard, url: URL): LookupFunction {
  return (name, options, callback) => {
    lookup(name, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '', 0);
      const allowed = addresses.filter(({ address }) => guard.mayConnect(address, url));
      const [first] = allowed;
      if (first === undefined) {
        const refused = new TenonError('auth/unsafe-url', `the host name ${name} resolves to a private address`, {
          expected: 'a public address',
          hint: 'set `allowPrivate` if you trust the server with your network',
        });
        return callback(refused, '', 0);
      }
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
