/**
 * Parts of the library that `@tenon/testing` uses and that have no public name yet. The list may only become shorter.
 */
export { createPausableClock, type PausableClock } from './client/calls/call-deadline.js';
export type { ServerTypes } from './client/client.js';
export { connectTo } from './client/connect.js';
export type { Connection } from './client/connection/connection.js';
export { createTransportEndpoint } from './client/connection/endpoint.js';
export { negotiateConnection } from './client/connection/version-negotiator.js';
export { handleServerRequest } from './client/server-requests/request-handlers.js';
export { toRefusal } from './jsonrpc/error-response.js';
export {
  classifyMessage,
  createFailure,
  createNotification,
  createRequest,
  createSuccess,
  diagnoseMessage,
  type Id,
  isBatch,
  isId,
  isMessage,
  type JsonRpcFailure,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  parseJson,
} from './jsonrpc/message.js';
export { readNumericId } from './jsonrpc/numeric-id.js';
export type { MessageObserver } from './jsonrpc/observe-transport.js';
export {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  LOG_LEVEL,
  PROTOCOL_VERSION,
  readMeta,
  SERVER_INFO,
  SUBSCRIPTION_ID,
} from './protocol/meta.js';
export { isInputRequired } from './protocol/methods.js';
export { findMissingForRequest } from './protocol/missing-capabilities.js';
export { classifyRequest } from './protocol/negotiation/classify-request.js';
export type { RequestIO, ServerSession } from './protocol/request-handler.js';
export { isTerminal } from './protocol/tasks.js';
export type { Dialect } from './protocol/versions/dialect.js';
export { dialects, getDialect, getNewestDialect } from './protocol/versions/index.js';
export { findRefusal } from './schemas/peer-refusal.js';
export { HandlerContext } from './server/context/handler-context.js';
export { createNotFoundError } from './server/methods/resources.js';
export { parseTemplate } from './server/uri-template/template.js';
