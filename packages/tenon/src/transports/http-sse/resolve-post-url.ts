import { parseUrl, TenonError } from '@tenon/base';

/** Resolves the address for POST requests. Another origin is an error, because requests contain credentials. */
export function resolvePostUrl(data: string, base: string, peer: string): string | TenonError {
  const url = parseUrl(data, base);
  if (!url) return createNoEndpointError(peer, 'an invalid URL');
  if (url.origin === new URL(base).origin && !url.username && !url.password) return url.href;
  return new TenonError('http/foreign-endpoint', 'the server named a message endpoint of another origin', {
    peer,
    expected: 'an endpoint of the same origin',
    received: url.origin,
    hint: 'connect to the other server directly if you trust it',
  });
}

export function createNoEndpointError(peer: string, received: string): TenonError {
  return new TenonError('http/no-endpoint', 'the server does not support HTTP+SSE', {
    peer,
    hint: 'check the path of the URL, which is often /sse',
    expected: 'an endpoint event',
    received,
  });
}
