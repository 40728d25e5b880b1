/**
 * Parts of the library that `@tenon/host` uses and that have no public name yet. The list may only become shorter.
 */
export { checkExceptions } from './auth/client/auth-exceptions.js';
export { getSignInRequest, isSignInRequired, type SignInRequest } from './auth/client/sign-in/sign-in-required.js';
export { mayHaveExecuted } from './client/calls/call-outcome.js';
export { connectTo } from './client/connect.js';
export { createInProcessEndpoint, createTransportEndpoint, type ServerEndpoint } from './client/connection/endpoint.js';
export {
  createSessionSharing,
  type ServerSessionState,
  type SessionSharing,
  type SharedServerSession,
} from './client/connection/shared-session.js';
export type { RequestForwarder, ServerRequestInfo } from './client/options.js';
export { createCapabilities, handleServerRequest } from './client/server-requests/request-handlers.js';
export type { TransportFactory } from './client/target.js';
export { isAbandoned } from './client/tasks/tracked-task.js';
export { checkInputRequestMethods } from './execution/check-input-requests.js';
export { toInputRequest } from './execution/journaled-execution.js';
export { loadRuntime } from './execution/lazy-run.js';
export { DEFAULT_INPUT_REQUEST_OPTIONS } from './execution/options.js';
export { type PromptArgument, reachesLogLevel, readLoggingLevel } from './protocol/content.js';
export { USER_REJECTED } from './protocol/error-codes.js';
export type { FormValue, ModelPreferences, ToolUseContent } from './protocol/input-requests.js';
export { readMeta } from './protocol/meta.js';
export { isMethod, isReadOnly, toParams } from './protocol/methods.js';
export { findMissingForRequest, hasCapability } from './protocol/missing-capabilities.js';
export type { Cacheable } from './protocol/params-and-results.js';
export type { SessionChange, SessionState } from './protocol/request-handler.js';
export { TASKS } from './protocol/tasks.js';
export type { Dialect } from './protocol/versions/dialect.js';
export { getDialect, getNewestDialect } from './protocol/versions/index.js';
export { sendUpstreamRequest } from './proxy/forward-request.js';
export { runProxiedTool } from './proxy/proxy-server.js';
export { webTransports } from './runtimes/web/transports.js';
export { findRefusal } from './schemas/peer-refusal.js';
export { HandlerContext } from './server/context/handler-context.js';
export { toScope } from './server/create-server-runtime.js';
export type { Resources } from './server/definitions/resource.js';
export type { Prompts, Tools } from './server/definitions/server-definition.js';
export { SharedChanges } from './server/session/shared-changes.js';
export type { TemplateValues } from './server/uri-template/expand.js';
export { parseTemplate, type Template } from './server/uri-template/template.js';
export { prepareStores } from './stores/records/prepare-stores.js';
export { requireSealed } from './stores/sealed-stores.js';
