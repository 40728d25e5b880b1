import {
  checkAuthInfo,
  checkFunction,
  isObject,
  requireArgument,
  requireKnownOptions,
  TenonError,
  toJsonObject,
} from '@tenon/base';
import type { Transport } from '../jsonrpc/transport.js';
import type { ConnectOptions } from './request-handler.js';

/**
 * Checks the arguments of `connect` of a server. Throws `options/invalid` for a value that is no transport and for unknown
 * options, and `auth/caller` for an invalid caller.
 */
export function requireConnectArguments(transport: Transport | undefined, options: ConnectOptions = {}): void {
  requireArgument('`transport.open`', transport?.open, checkFunction);
  requireKnownOptions('`connect` of a server', options, {
    auth: true,
    address: true,
    dialect: true,
    state: true,
    onStateChange: true,
  });
  const { auth } = options;
  if (auth !== undefined) requireArgument('`auth` of `connect` of a server', auth, checkAuthInfo, 'auth/caller');
}

/**
 * Throws `serve/service` if a value is not a server, so that the error appears before the first client connects.
 *
 * @param isStateless True if the transport also serves requests without a session. It then calls two more methods.
 */
export function requireRequestHandler(handler: unknown, isStateless = false): void {
  const methods = isStateless ? ['connect', 'classifyRequest', 'answer'] : ['connect'];
  const members: { readonly [name: string]: unknown } = toJsonObject(handler);
  if (methods.every(name => typeof members[name] === 'function') && !('registerTool' in members)) return;
  throw new TenonError('serve/service', 'invalid server', {
    expected: 'the return value of `createServer`',
    received: handler === null ? 'null' : typeof handler === 'object' ? 'another object' : typeof handler,
    hint: adviseOnServer(handler, members),
  });
}

/**
 * Returns the awaited result of `connect` of a server. Throws `serve/service` if it is no session, as from a wrapper that
 * forgets to return one.
 */
export function requireServerSession<T>(session: T): T {
  if (isObject(session) && typeof session.end === 'function') return session;
  throw new TenonError('serve/service', '`connect` returned no session', {
    hint: 'return the session from `connect`',
  });
}

/** Returns the fix for a value that users often pass in place of a server. */
function adviseOnServer(handler: unknown, members: { readonly [name: string]: unknown }): string | undefined {
  if (typeof handler === 'function')
    return 'endpoint' in handler
      ? 'pass the server, not the handler that `createHandler` returned for it'
      : 'call the function and pass the server that it returns';
  if ('then' in members) return 'write `await` before it';
  if ('toServer' in members) return 'pass `host.toServer()`';
  if ('registerTool' in members) return 'this is a server of the official SDK: define its tools with `createServer`';
  if ('name' in members && 'version' in members) return 'pass it to `createServer` first';
  if ('default' in members) return 'pass the export, not the module';
  return undefined;
}
