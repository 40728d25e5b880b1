import type { Id, JsonObject } from '../jsonrpc/message.js';
import type { Check } from './check.js';
import type { LoggingLevel, Prompt, Resource, ResourceTemplate, Tool } from './content.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  InputRequiredResult,
  ListRootsResult,
} from './input-requests.js';
import type {
  CallToolResult,
  CompleteParams,
  CompleteResult,
  DiscoverResult,
  GetPromptResult,
  InitializeParams,
  InitializeResult,
  MethodResult,
  PaginatedParams,
  PaginatedResult,
  ReadResourceResult,
  RequestParams,
  RetryInputs,
  SubscriptionFilter,
} from './params-and-results.js';
import type { CreateTaskResult, TaskMethods, TaskNotifications, TaskParams } from './tasks.js';

/** Parameters and results of every method of all protocol versions, as the newest version that has it defines them. */
export interface Methods extends TaskMethods {
  /** Begins a session. Up to 2025-11-25. */
  initialize: { params: InitializeParams; result: InitializeResult };
  /** Returns what the server supports. From 2026-07-28. */
  'server/discover': { params: RequestParams; result: DiscoverResult };
  /** Checks that the peer responds. Up to 2025-11-25. */
  ping: { params: RequestParams; result: MethodResult };
  /** Lists tools. */
  'tools/list': { params: PaginatedParams; result: PaginatedResult & { tools: Tool[] } };
  /** Calls a tool. */
  'tools/call': {
    params: RequestParams &
      RetryInputs & { name: string; arguments?: JsonObject | undefined; task?: TaskParams | undefined };
    result: CallToolResult | InputRequiredResult | CreateTaskResult;
  };
  /** Lists resources. */
  'resources/list': { params: PaginatedParams; result: PaginatedResult & { resources: Resource[] } };
  /** Lists resource templates. */
  'resources/templates/list': {
    params: PaginatedParams;
    result: PaginatedResult & { resourceTemplates: ResourceTemplate[] };
  };
  /** Reads a resource. */
  'resources/read': {
    params: RequestParams & RetryInputs & { uri: string };
    result: ReadResourceResult | InputRequiredResult;
  };
  /** Subscribes to changes of a resource. Up to 2025-11-25. */
  'resources/subscribe': { params: RequestParams & { uri: string }; result: MethodResult };
  /** Ends a subscription. Up to 2025-11-25. */
  'resources/unsubscribe': { params: RequestParams & { uri: string }; result: MethodResult };
  /** Lists prompts. */
  'prompts/list': { params: PaginatedParams; result: PaginatedResult & { prompts: Prompt[] } };
  /** Gets the messages of a prompt. */
  'prompts/get': {
    params: RequestParams & RetryInputs & { name: string; arguments?: { [name: string]: string } };
    result: GetPromptResult | InputRequiredResult;
  };
  /** Completes an argument of a prompt or a resource template. */
  'completion/complete': { params: CompleteParams; result: CompleteResult };
  /** Sets the minimum level of log messages. Up to 2025-11-25. */
  'logging/setLevel': { params: RequestParams & { level: LoggingLevel }; result: MethodResult };
  /** Opens a stream of change notifications. From 2026-07-28. */
  'subscriptions/listen': { params: RequestParams & { notifications: SubscriptionFilter }; result: MethodResult };
  /** Requests a message from the client's model. Deprecated in 2026-07-28. */
  'sampling/createMessage': { params: CreateMessageParams & RequestParams; result: CreateMessageResult };
  /** Requests input from the user. */
  'elicitation/create': { params: ElicitParams & RequestParams; result: ElicitResult };
  /** Requests the client's roots. Deprecated in 2026-07-28. */
  'roots/list': { params: RequestParams; result: ListRootsResult };
}

/** Parameters of every notification of all protocol versions. */
export interface Notifications extends TaskNotifications {
  /** The client finished the handshake. Up to 2025-11-25. */
  'notifications/initialized': RequestParams;
  /** The sender of a request no longer wants its result. */
  'notifications/cancelled': RequestParams & { requestId?: Id; reason?: string };
  /** Progress of a request. */
  'notifications/progress': RequestParams & { progressToken: Id; progress: number; total?: number; message?: string };
  /** A log message. Deprecated in 2026-07-28. */
  'notifications/message': RequestParams & { level: LoggingLevel; logger?: string; data: unknown };
  /** A resource changed. */
  'notifications/resources/updated': RequestParams & { uri: string };
  /** The list of resources changed. */
  'notifications/resources/list_changed': RequestParams;
  /** The list of tools changed. */
  'notifications/tools/list_changed': RequestParams;
  /** The list of prompts changed. */
  'notifications/prompts/list_changed': RequestParams;
  /** The list of roots changed. Deprecated in 2026-07-28. */
  'notifications/roots/list_changed': RequestParams;
  /** The user finished a URL elicitation. 2025-11-25. */
  'notifications/elicitation/complete': RequestParams & { elicitationId: string };
  /** The server accepted a `subscriptions/listen`. From 2026-07-28. */
  'notifications/subscriptions/acknowledged': RequestParams & { notifications: SubscriptionFilter };
}

/** A method that the protocol defines. */
export type MethodName = keyof Methods;

/** Checked params of a method: members have their types, and unknown ones are kept. */
export type ParamsOf<M extends MethodName> = Methods[M]['params'] & JsonObject;

/** The result of a method after input requests were answered and tasks awaited. */
export type FinalResult<R> = Exclude<R, InputRequiredResult | CreateTaskResult>;

/** Checked final result of a method: members have their types, and unknown ones are kept. */
export type ResultOf<M extends MethodName> = FinalResult<Methods[M]['result']> & JsonObject;

export type NotificationName = keyof Notifications;
export type Sender = 'client' | 'server' | 'either';

export interface MethodDefinition {
  /** Sender of the method. */
  readonly sender: Sender;
  /** The capability that the answering side declares, a dotted path. */
  readonly capability?: string;
  /** The extension that it belongs to: a server without that does not have it. */
  readonly extension?: string;
  readonly params: Check;
  readonly result: Check;
  /** True if it may be answered by an input request. */
  readonly mayRequestInput?: boolean;
  /** True if its result has cache hints. */
  readonly cacheable?: boolean;
}

export interface NotificationDefinition {
  readonly sender: Sender;
  /** The capability that the sending side declares, a dotted path. */
  readonly capability?: string;
  readonly params: Check;
}
