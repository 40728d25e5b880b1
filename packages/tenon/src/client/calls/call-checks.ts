import { TenonError } from '@tenon/base';
import { assumableCapabilities } from '../../protocol/capabilities.js';
import type { MethodName } from '../../protocol/method-types.js';
import { methods } from '../../protocol/methods.js';
import { hasCapability } from '../../protocol/missing-capabilities.js';
import type { Connection } from '../connection/connection.js';

/** Throws before a request is sent if the server cannot support it. */
export function checkSupported(connection: Connection, method: MethodName): void {
  const { dialect, server } = connection;
  const { sender, capability, extension } = methods[method];
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
  const { capabilities } = server;
  if (capability !== undefined && !hasCapability(capabilities, capability))
    throw createNotOfferedError(connection, method, capability);
  if (extension === undefined) return;
  const isByExtension = dialect.tasks === 'by-extension';
  const part = isByExtension ? extension : (TASK_CAPABILITIES[method] ?? 'tasks');
  const isDeclared = isByExtension
    ? Object.hasOwn(capabilities.extensions ?? {}, part)
    : hasCapability(capabilities, part);
  if (!isDeclared) throw createNotOfferedError(connection, method, part);
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
