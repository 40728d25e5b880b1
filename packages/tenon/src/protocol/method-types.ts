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
  initialize: { params: InitializeParams; result: InitializeResult };
  'server/discover': { params: RequestParams; result: DiscoverResult };
  ping: { params: RequestParams; result: MethodResult };
  'tools/list': { params: PaginatedParams; result: PaginatedResult & { tools: Tool[] } };
  'tools/call': {
    params: RequestParams &
      RetryInputs & { name: string; arguments?: JsonObject | undefined; task?: TaskParams | undefined };
    result: CallToolResult | InputRequiredResult | CreateTaskResult;
  };
  'resources/list': { params: PaginatedParams; result: PaginatedResult & { resources: Resource[] } };
  'resources/templates/list': {
    params: PaginatedParams;
    result: PaginatedResult & { resourceTemplates: ResourceTemplate[] };
  };
  'resources/read': {
    params: RequestParams & RetryInputs & { uri: string };
    result: ReadResourceResult | InputRequiredResult;
  };
  'resources/subscribe': { params: RequestParams & { uri: string }; result: MethodResult };
  'resources/unsubscribe': { params: RequestParams & { uri: string }; result: MethodResult };
  'prompts/list': { params: PaginatedParams; result: PaginatedResult & { prompts: Prompt[] } };
  'prompts/get': {
    params: RequestParams & RetryInputs & { name: string; arguments?: { [name: string]: string } };
    result: GetPromptResult | InputRequiredResult;
  };
  'completion/complete': { params: CompleteParams; result: CompleteResult };
  'logging/setLevel': { params: RequestParams & { level: LoggingLevel }; result: MethodResult };
  'subscriptions/listen': { params: RequestParams & { notifications: SubscriptionFilter }; result: MethodResult };
  'sampling/createMessage': { params: CreateMessageParams & RequestParams; result: CreateMessageResult };
  'elicitation/create': { params: ElicitParams & RequestParams; result: ElicitResult };
  'roots/list': { params: RequestParams; result: ListRootsResult };
}

/** Parameters of every notification of all protocol versions. */
export interface Notifications extends TaskNotifications {
  'notifications/initialized': RequestParams;
  'notifications/cancelled': RequestParams & { requestId?: Id; reason?: string };
  'notifications/progress': RequestParams & { progressToken: Id; progress: number; total?: number; message?: string };
  'notifications/message': RequestParams & { level: LoggingLevel; logger?: string; data: unknown };
  'notifications/resources/updated': RequestParams & { uri: string };
  'notifications/resources/list_changed': RequestParams;
  'notifications/tools/list_changed': RequestParams;
  'notifications/prompts/list_changed': RequestParams;
  'notifications/roots/list_changed': RequestParams;
  'notifications/elicitation/complete': RequestParams & { elicitationId: string };
  'notifications/subscriptions/acknowledged': RequestParams & { notifications: SubscriptionFilter };
}

export type MethodName = keyof Methods;
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
