import { TenonError } from '@tenon/base';
import { assumableCapabilities } from '../../protocol/capabilities.js';
import type { MethodName } from '../../protocol/method-types.js';
import { methods } from '../../protocol/methods.js';
import type { Connection } from '../connection/connection.js';

/** Throws before a request is sent if the server cannot support it. */
export function checkSupported(connection: Connection, method: MethodName): void {
  const { dialect } = connection;
  const { sender } = methods[method];
  if (sender === 'server' || !dialect.methods.client.has(method)) {
    throw new TenonError(
      'call/not-in-version',
      `${method} is not supported in protocol version ${dialect.protocolVersion}`,
      {
        peer: connection.peer,
        method,
        hint: HINTS[method] ?? 'check `client.server.protocolVersion` before the call',
      },
    );
  }
  const missing = findMissingCapability(connection, method);
  if (missing !== undefined) throw createNotOfferedError(connection, method, missing);
}

/** Creates the error of a method whose capability the server does not declare. */
export function createNotOfferedError({ peer }: Connection, method: string, capability: string): TenonError {
  const isAssumable = assumableCapabilities.some(name => name === capability);
  return new TenonError('call/not-offered', `the server does not declare the capability ${capability}`, {
    peer,
    method,
    hint: isAssumable
      ? `check \`client.server.capabilities\` before the call; if you know that the server has it, pass \`assumeCapabilities: ['${capability}']\``
      : 'check `client.server.capabilities` before the call',
    data: { capability },
  });
}

/** Returns the capability that a method needs and the server lacks. */
function findMissingCapability(connection: Connection, method: MethodName): string | undefined {
  const { capability, extension } = methods[method];
  if (capability !== undefined && !connection.hasCapability(capability)) return capability;
  if (extension === undefined) return undefined;
  if (connection.dialect.tasks === 'by-extension')
    return Object.hasOwn(connection.server.capabilities.extensions ?? {}, extension) ? undefined : extension;
  const part = TASK_CAPABILITIES[method] ?? 'tasks';
  return connection.hasCapability(part) ? undefined : part;
}

/** Capabilities of the task methods, on versions with the `task` parameter. */
const TASK_CAPABILITIES: { readonly [method: string]: string | undefined } = {
  'tasks/list': 'tasks.list',
  'tasks/cancel': 'tasks.cancel',
};

const HINTS: { readonly [method: string]: string | undefined } = {
  'logging/setLevel': 'use `client.setLogLevel`, which works on every protocol version',
  'resources/subscribe': 'use `client.watch`, which works on every protocol version',
  'subscriptions/listen': 'use `client.watch`, which works on every protocol version',
  ping: 'use `client.ping`, which works on every protocol version',
};
