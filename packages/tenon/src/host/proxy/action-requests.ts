import type { JsonObject } from '../../jsonrpc/message.js';
import type { Tool } from '../../protocol/content.js';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import type { ActionRequest } from '../security/policy/action-request.js';

/** Creates the action request of a tool call for the policy. */

export function createToolRequest(
  { server, scope, trusted }: UpstreamConnection,
  { name, annotations }: Tool,
  args: JsonObject,
): ActionRequest {
  const hints = annotations ? { annotations } : {};
  return { kind: 'tool', server, name, arguments: args, trusted, ...scope.identity, ...hints };
}

export function createPromptRequest(
  { server, scope, trusted }: UpstreamConnection,
  name: string,
  args: JsonObject,
): ActionRequest {
  return { kind: 'prompt', server, name, arguments: args, trusted, ...scope.identity };
}

export function createResourceRequest({ server, scope, trusted }: UpstreamConnection, uri: string): ActionRequest {
  return { kind: 'resource', server, name: uri, arguments: {}, trusted, ...scope.identity };
}
