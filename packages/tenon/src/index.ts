/** What nine users of ten need, for every runtime. On Node `tenon` is `index.node.ts`: the same names. */
// For those who call.
export type { Change, Client, Watch } from './client/client.js';
export type { Answers, CallOptions, ClientOptions, Events, Progress, RootsSource, State } from './client/options.js';
export type { HttpTarget, StdioTarget, Target } from './client/target.js';
export type { StartOptions, TaskHandle, Tasks, WaitOptions } from './client/tasks/handle.js';
export { type Verdicts, verdictsInMemory } from './client/verdicts.js';
export type { AskingOptions } from './conversation/asking/options.js';
export type { Service } from './conversation/service.js';
export type { ProtocolVersion } from './dialects/protocol-version.js';
// For those who build transports.
export type { TaskEvent, TasksOptions } from './extensions/tasks/options.js';
export { tasks } from './extensions/tasks/tasks.js';
export type { AuthInfo, Channel, Envelope, Receiver, RequestHeaders, SendOptions } from './jsonrpc/channel.js';
export type { Clock } from './jsonrpc/clock.js';
export { rpcError, TenonError } from './jsonrpc/error.js';
export type { Message } from './jsonrpc/message.js';
export type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitResult,
  ElicitUrlParams,
  InputRequiredResult,
} from './model/asking.js';
export type { ClientCapabilities, ServerCapabilities } from './model/capabilities.js';
// The vocabulary.
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
} from './model/content.js';
export type { MethodName, Methods, Notifications } from './model/methods.js';
export type { CallToolResult, GetPromptResult, ReadResourceResult } from './model/shapes.js';
export type { CreateTaskResult, DetailedTask, Task, TaskState, TaskStatus } from './model/tasks.js';
export { connect } from './runtimes/web/connect.js';
export { withJsonSchema } from './schemas/json-schema.js';
export type { Caller } from './server/caller.js';
export type { Catalog } from './server/catalog.js';
export type { Context, FormAnswer } from './server/context.js';
export type { CreateState, StateContext } from './server/create-state.js';
export type { CustomMethod, CustomMethods, CustomNotification } from './server/custom.js';
export type { ServerDefinition, ServerOptions } from './server/definition.js';
export type { ServerExtension } from './server/extension.js';
export { cached } from './server/middleware/cached.js';
export { logged } from './server/middleware/logged.js';
export { rateLimit } from './server/middleware/rate-limit.js';
export { resultLimit } from './server/middleware/result-limit.js';
export { timeLimit } from './server/middleware/time-limit.js';
export { type Middleware, type Next, type Operation, on } from './server/middleware.js';
export { type PromptDefinition, prompt } from './server/prompt.js';
export type { Rate, ServerRateLimits } from './server/rate-limits.js';
export { inputRequired, reply, toolError } from './server/reply.js';
export { type ResourceDefinition, resource } from './server/resource.js';
export type { RootsChange } from './server/roots.js';
// For those who offer.
export { createServer, type Server } from './server/server.js';
export { type TaskRules, type TaskSupport, type ToolDefinition, tool } from './server/tool.js';
export { type UrlToVisit, urlRequired } from './server/url-first.js';
// What outlives a process, or is seen by several.
export { type MemoryStoresOptions, memoryStores } from './stores/memory.js';
export type { SealKey } from './stores/seal.js';
export type { Bus, ListOptions, PutOptions, Stored, Stores, Values } from './stores/stores.js';
export { createPair, type MemoryOptions, type Pair } from './transports/memory.js';
export { version } from './version.js';
