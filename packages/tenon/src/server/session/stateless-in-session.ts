import type { JsonObject } from '@tenon/base';
import type { JsonRpcRequest } from '../../jsonrpc/message.js';
import type { Peer } from '../../jsonrpc/peer.js';
import type { RequestScope } from '../../jsonrpc/request-scope.js';
import type { MessageContext } from '../../jsonrpc/transport.js';
import { requireStatelessDialect } from '../../protocol/negotiation/classify-request.js';
import type { ServerRuntime } from '../server-runtime.js';
import { handleStatelessRequest } from '../stateless-request.js';

/** Handles a stateless request on a transport that may also have a session. */
export function handleStatelessInSession(
  runtime: ServerRuntime,
  peer: Peer,
  request: JsonRpcRequest,
  scope: RequestScope,
  { auth, address, request: headers }: MessageContext,
  getListening: () => Map<RequestScope, () => void>,
): JsonObject | Promise<JsonObject> {
  const dialect = requireStatelessDialect(request, runtime.servedDialects);
  if (request.method === 'subscriptions/listen') {
    const listening = getListening();
    listening.set(scope, () => {});
    scope.onDone(() => {
      listening.delete(scope);
      // The client learns on a shared transport that the server ended the subscription.
      if (!scope.isCancelled) void peer.notify('notifications/cancelled', { requestId: request.id });
    });
  }
  return handleStatelessRequest(runtime, request, dialect, scope, {
    auth,
    address,
    request: headers,
    isTraced: true,
    onShutdown: end => {
      if (request.method === 'subscriptions/listen') getListening().set(scope, end);
    },
    send: ({ method, params }) => void peer.notify(method, params, { relatedTo: request.id }),
  });
}
