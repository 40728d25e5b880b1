import type { Check, JsonObject } from '@tenon/base';
import type { Id } from '../jsonrpc/message.js';
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

/**
 * Params and result of each method of all protocol versions. Each has the form of the newest version with this method.
 */
export interface Methods extends TaskMethods {
  /** Starts a session. Up to 2025-11-25. */
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
    params: RequestParams & RetryInputs & { name: string; arguments?: { [name: string]: string } | undefined };
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
  /** Announces that the client finished the handshake. Up to 2025-11-25. */
  'notifications/initialized': RequestParams;
  /** Cancels a request, because its sender no longer needs the result. */
  'notifications/cancelled': RequestParams & { requestId?: Id; reason?: string };
  /** Reports the progress of a request. */
  'notifications/progress': RequestParams & { progressToken: Id; progress: number; total?: number; message?: string };
  /** Sends a log message. Deprecated in 2026-07-28. */
  'notifications/message': RequestParams & { level: LoggingLevel; logger?: string; data: unknown };
  /** Announces that a resource changed. */
  'notifications/resources/updated': RequestParams & { uri: string };
  /** Announces that the list of resources changed. */
  'notifications/resources/list_changed': RequestParams;
  /** Announces that the list of tools changed. */
  'notifications/tools/list_changed': RequestParams;
  /** Announces that the list of prompts changed. */
  'notifications/prompts/list_changed': RequestParams;
  /** Announces that the list of roots changed. Deprecated in 2026-07-28. */
  'notifications/roots/list_changed': RequestParams;
  /** Announces that the user finished a URL elicitation. 2025-11-25 only. */
  'notifications/elicitation/complete': RequestParams & { elicitationId: string };
  /** Acknowledges a `subscriptions/listen`. From 2026-07-28. */
  'notifications/subscriptions/acknowledged': RequestParams & { notifications: SubscriptionFilter };
}

/** A method that the protocol defines. */
export type MethodName = keyof Methods;

/** Checked params of a method. Known members have their types; unknown members are kept. */
export type ParamsOf<M extends MethodName> = Methods[M]['params'] & JsonObject;

/** The result of a method after all input requests were answered and the task, if any, has ended. */
export type FinalResult<R> = Exclude<R, InputRequiredResult | CreateTaskResult>;

/** Checked final result of a method. Known members have their types; unknown members are kept. */
export type ResultOf<M extends MethodName> = FinalResult<Methods[M]['result']> & JsonObject;

export type NotificationName = keyof Notifications;
export type Sender = 'client' | 'server' | 'either';

export interface MethodDefinition {
  /** The side that sends the method. */
  readonly sender: Sender;
  /** Capability that the receiver must declare, as a dotted path. */
  readonly capability?: string;
  /** Extension of the method. A server without the extension does not have the method. */
  readonly extension?: string;
  readonly params: Check;
  readonly result: Check;
  /** True if the result may be an input request. */
  readonly mayRequestInput?: boolean;
  /** True if the result has cache hints. */
  readonly cacheable?: boolean;
}

export interface NotificationDefinition {
  readonly sender: Sender;
  /** Capability that the sender must declare, as a dotted path. */
  readonly capability?: string;
  readonly params: Check;
}
