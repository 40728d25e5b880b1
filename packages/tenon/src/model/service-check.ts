import { TenonError } from '../jsonrpc/error.js';

/** Throws `serve/service` for a value that is no server, before a first client finds out. */
export function requireService(service: unknown): void {
  if (typeof service === 'object' && service !== null && 'connect' in service) return;
  throw new TenonError('serve/service', 'there is no server to serve', {
    expected: 'a server, as createServer returns it',
    got: service === null ? 'null' : typeof service === 'object' ? 'another object' : typeof service,
    ...(typeof service === 'function' ? { next: 'call the function, and give the server that it returns' } : {}),
  });
}
