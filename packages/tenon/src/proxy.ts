/**
 * A proxy: a server whose requests are answered by other servers, on every protocol version and transport.
 *
 * @module tenon/proxy
 */

export type { HandlerRun, RequestInput } from './execution/handler-run.js';
export type { SubscriptionFilter } from './protocol/params-and-results.js';
export { ActiveCalls, type UpstreamCall } from './proxy/active-calls.js';
export {
  createUpstreamOptions,
  type ForwardOptions,
  forwardRequest,
  sendUpstream,
  type UpstreamRequestOptions,
} from './proxy/forward-request.js';
export { type ForwardedErrorOptions, toForwardedError } from './proxy/forwarded-error.js';
export { selectForwardedMeta } from './proxy/passed-meta.js';
export {
  createPageResult,
  createProxyServer,
  type ProxyBackend,
  type ProxyCall,
  runToolCall,
} from './proxy/proxy-server.js';
export { RequestedLogLevel } from './proxy/requested-log-level.js';
export type { ExtensionSubscription } from './server/extension.js';
export type { ClientSession, RequestContext } from './server/request-context.js';
export type { RequesterInfo, ResourceSession, ResourceWatcher } from './server/server-runtime.js';
