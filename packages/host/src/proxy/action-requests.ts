import type { AuthInfo, JsonObject } from '@tenon/base';
import type { Tool } from 'tenon';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import { type ActionRequest, describeUser } from '../security/policy/action-request.js';

type RequestConnection = Pick<UpstreamConnection, 'server' | 'trusted' | 'scope'>;

/**
 * Creates the action request of a tool call for the policy.
 *
 * @param auth Authorization of this request. Two requests of one user may have tokens with different scopes.
 */
export function createToolRequest(
  { server, trusted, scope }: RequestConnection,
  { name, annotations }: Pick<Tool, 'name' | 'annotations'>,
  args: JsonObject,
  auth: AuthInfo | undefined,
): ActionRequest {
  const hints = annotations ? { annotations } : {};
  return { kind: 'tool', server, name, arguments: args, trusted, ...describeUser(auth, scope.identity), ...hints };
}

export function createPromptRequest(
  { server, trusted, scope }: RequestConnection,
  name: string,
  args: JsonObject,
  auth: AuthInfo | undefined,
): ActionRequest {
  return { kind: 'prompt', server, name, arguments: args, trusted, ...describeUser(auth, scope.identity) };
}

export function createResourceRequest(
  { server, trusted, scope }: RequestConnection,
  uri: string,
  auth: AuthInfo | undefined,
): ActionRequest {
  return { kind: 'resource', server, name: uri, arguments: {}, trusted, ...describeUser(auth, scope.identity) };
}
