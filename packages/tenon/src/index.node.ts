/**
 * Define a server, connect a client. On Node, Bun and Deno `connect` also starts commands.
 *
 * @module tenon
 */
import { withServerDefaults } from '@tenon/base';
import type { Client, ServerTypes } from './client/client.js';
import type { ClientOptions } from './client/options.js';
import type { ConnectTarget } from './client/target.js';
import type { RequestHandler } from './protocol/request-handler.js';
import { withWorkerStores } from './runtimes/node/workers/current-worker.js';
import type {
  Mount,
  MountOption,
  WithMountedPrompts,
  WithMountedResources,
  WithMountedTools,
} from './server/definitions/mount.js';
import type { Prompts, ServerDefinition, Tools } from './server/definitions/server-definition.js';
import { createServer as createServerAnywhere, type KnownKeys, type Server } from './server/server.js';

/**
 * Connects a client to a server: a URL, a command, a server in this process, or a transport. The tools and prompts of a
 * server in this process are typed. `connect<typeof server>(…)` types those of your server at another place.
 * @throws TenonError `connect/…`, `stdio/spawn`, `call/timeout` or `auth/…` when no connection can be made.
 */
export async function connect<S extends ServerTypes = ServerTypes>(
  target: ConnectTarget | (S & RequestHandler),
  options?: ClientOptions,
): Promise<Client<S>> {
  // Clients are loaded on first use, because many servers never connect to another one.
  const { connect } = await import('./runtimes/node/connect.js');
  return connect<S>(target, options);
}

/**
 * Creates a server from its definition. In a worker of `serveHttp` it shares its values with the other workers, unless
 * the definition has `stores`.
 *
 * @throws TenonError `server/definition`, `tool/definition` and similar codes when a name, a schema or a template is
 * invalid.
 */
export function createServer<
  const T extends Tools = Record<never, never>,
  const P extends Prompts = Record<never, never>,
  const R extends KnownKeys = Record<never, never>,
  const M extends KnownKeys = Record<never, never>,
  S = unknown,
  const N extends readonly Mount[] = readonly [],
>(
  definition: ServerDefinition<T, P, R, M, S> & MountOption<N, NoInfer<T>>,
): Server<WithMountedTools<T, N>, WithMountedPrompts<P, N>, WithMountedResources<R, N>> {
  return createServerAnywhere(withWorkerStores(withServerDefaults(definition)));
}

// A blank line follows each heading, because Biome sorts the exports between them.

// Servers: definitions, results of handlers, and middleware.

export type { AuthInfo } from '@tenon/base';
export type { InputRequestOptions } from './execution/options.js';
export type { TaskEvent, TasksOptions } from './extensions/tasks/options.js';
export { tasks } from './extensions/tasks/tasks.js';
export type { CallerInfo, Context, CreateState, FormAnswer, StateContext } from './handler/context.js';
export type { Middleware, Next, Operation } from './handler/operation.js';
export { inputRequired, toolError, toolResult } from './handler/tool-result.js';
export type { RequestHandler } from './protocol/request-handler.js';
export type { ServerRateLimits } from './server/default-rate-limits.js';
export type { CustomMethod, CustomMethods, CustomNotification } from './server/definitions/custom-method.js';
export { type PromptDefinition, prompt } from './server/definitions/prompt.js';
export { type ResourceDefinition, resource } from './server/definitions/resource.js';
export type { ServerDefinition, ServerOptions } from './server/definitions/server-definition.js';
export { type TaskOptions, type TaskSupport, type ToolDefinition, tool } from './server/definitions/tool.js';
export type { ServerExtension } from './server/extension.js';
export { type UrlElicitation, urlElicitationRequired } from './server/methods/url-elicitation.js';
export { caching } from './server/middleware/caching.js';
export { forMethod } from './server/middleware/compose-middleware.js';
export { logging } from './server/middleware/logging.js';
export { rateLimit } from './server/middleware/rate-limit.js';
export { resultSizeLimit } from './server/middleware/result-size-limit.js';
export { timeout } from './server/middleware/timeout.js';
export type { Rate } from './server/middleware/token-buckets.js';
export type { Registry } from './server/registry.js';
export type { Server } from './server/server.js';
export type { RootsChange } from './server/session/roots.js';

// Clients.

export type { CallOptions, Progress } from './client/call-options.js';
export type { ChangeEvent, Client, WatchCallOptions, WatchOptions } from './client/client.js';
export { memoryVersionCache, type VersionCache } from './client/connection/version-cache.js';
export type {
  ClientEvents,
  ClientHandlers,
  ClientOptions,
  CompletionOptions,
  ConnectionState,
  RootsSource,
} from './client/options.js';
export type { ConnectTarget, HttpTarget, StdioTarget } from './client/target.js';
export type { StartOptions, TaskHandle, Tasks, WaitOptions } from './client/tasks/task-handle.js';

// Stores, for values that outlive a process or that several processes share.

export type { Bus, ListOptions, PutOptions, SealKey, StoredValue, Stores, UnknownFormat, Values } from '@tenon/base';
export { type MemoryStoresOptions, memoryStores } from './stores/memory-stores.js';
export { type SealedStoresOptions, sealStores } from './stores/sealed-stores.js';
export {
  type RestoredStoresOptions,
  type RestoredStoresResult,
  sealRestoredStores,
} from './stores/sealing/restored-stores.js';

// Schemas, of your own and of peers.

export { withJsonSchema } from './schemas/json-schema.js';
export { loadPeerSchema } from './schemas/load-peer-schema.js';
export type { PeerCheckResult, PeerSchemaValidator } from './schemas/peer-schema.js';

// Types of the protocol.

export type { JsonObject } from '@tenon/base';
export {
  type AssumableCapability,
  assumableCapabilities,
  type ClientCapabilities,
  type ServerCapabilities,
} from './protocol/capabilities.js';
export type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  Icon,
  ImageContent,
  Implementation,
  LoggingLevel,
  Prompt,
  PromptMessage,
  Resource,
  ResourceContents,
  ResourceLink,
  ResourceTemplate,
  Root,
  TextContent,
  Tool,
  ToolAnnotations,
} from './protocol/content.js';
export type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitResult,
  ElicitUrlParams,
  InputRequiredResult,
  SamplingContent,
  SamplingMessage,
} from './protocol/input-requests.js';
export type { MethodName, Methods, Notifications } from './protocol/method-types.js';
export type { CallToolResult, GetPromptResult, ReadResourceResult } from './protocol/params-and-results.js';
export type { CreateTaskResult, DetailedTask, Task, TaskState, TaskStatus } from './protocol/tasks.js';
export { protocolVersions } from './protocol/versions/index.js';
export type { ProtocolVersion } from './protocol/versions/protocol-version.js';

// Custom transports.

export type { JsonRpcMessage } from './jsonrpc/message.js';
export type { MessageContext, MessageReceiver, RequestHeaders, SendOptions, Transport } from './jsonrpc/transport.js';
export { type ReceiverChanges, type TransportChanges, wrapTransport } from './jsonrpc/wrap-transport.js';
export { createTransportPair, type MemoryOptions, type TransportPair } from './transports/memory.js';

// Errors, time and versions.

export type { Clock } from '@tenon/base';
export { rpcError, TenonError } from '@tenon/base';
export { version } from './version.js';
