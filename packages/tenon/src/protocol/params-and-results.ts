import type { ClientCapabilities, ServerCapabilities } from './capabilities.js';
import type { ContentBlock, Implementation, Meta, PromptMessage, ResourceContents } from './content.js';
import type { InputResponses } from './input-requests.js';

/** Params and results of the methods. Each has the form of the newest version with this method. */

export interface RequestParams {
  _meta?: Meta | undefined;
}

export interface MethodResult {
  _meta?: Meta | undefined;
  resultType?: string | undefined;
}

/** Cache hints of a result: its lifetime in milliseconds, and its scope. */
export interface Cacheable {
  ttlMs?: number | undefined;
  cacheScope?: 'public' | 'private' | undefined;
}

export interface PaginatedParams extends RequestParams {
  cursor?: string | undefined;
}

export interface PaginatedResult extends MethodResult, Cacheable {
  nextCursor?: string;
}

/** Members that a retry adds to the params. */
export interface RetryInputs {
  inputResponses?: InputResponses | undefined;
  requestState?: string | undefined;
}

/** Result of `tools/call`. */
export interface CallToolResult extends MethodResult {
  /** Result for the model. */
  content: ContentBlock[];
  /** Result for programs. Matches the tool's `outputSchema`. */
  structuredContent?: unknown;
  /**
   * True if the tool failed.
   * @default `false`
   */
  isError?: boolean | undefined;
}

/** Result of `resources/read`. */
export interface ReadResourceResult extends MethodResult, Cacheable {
  /** Contents of the resource. There can be several, for example the files of a directory. */
  contents: ResourceContents[];
}

/** Result of `prompts/get`. */
export interface GetPromptResult extends MethodResult {
  /** Description for people and models. */
  description?: string | undefined;
  /** Messages for the model, in order. */
  messages: PromptMessage[];
}

export interface CompleteParams extends RequestParams {
  ref: { type: 'ref/prompt'; name: string; title?: string | undefined } | { type: 'ref/resource'; uri: string };
  argument: { name: string; value: string };
  context?: { arguments?: { [name: string]: string } | undefined } | undefined;
}

export interface CompleteResult extends MethodResult {
  completion: { values: string[]; total?: number; hasMore?: boolean };
}

export interface DiscoverResult extends MethodResult, Cacheable {
  supportedVersions: string[];
  capabilities: ServerCapabilities;
  instructions?: string;
}

export interface InitializeParams extends RequestParams {
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
}

export interface InitializeResult extends MethodResult {
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  instructions?: string;
}

/** Notifications that a listener subscribes to. An absent or false member means no subscription. */
export interface SubscriptionFilter {
  /** Changes of the list of tools. */
  toolsListChanged?: boolean | undefined;
  /** Changes of the list of prompts. */
  promptsListChanged?: boolean | undefined;
  /** Changes of the list of resources. */
  resourcesListChanged?: boolean | undefined;
  /** URIs of resources whose changes are reported. */
  resourceSubscriptions?: string[] | undefined;
  /** IDs of the tasks to listen to (tasks extension). */
  taskIds?: string[] | undefined;
  [extension: string]: unknown;
}
