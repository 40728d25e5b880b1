import type { InputResponses } from './asking.js';
import type { ClientCapabilities, ServerCapabilities } from './capabilities.js';
import type { ContentBlock, Implementation, Meta, PromptMessage, ResourceContents } from './content.js';

/** The params and results of the methods, in the words of the newest revision that has them. */

export interface Params {
  _meta?: Meta | undefined;
}

export interface Result {
  _meta?: Meta | undefined;
  resultType?: string | undefined;
}

/** How long a result stays good, in milliseconds, and whether it may be shown to others than who asked. */
export interface Cacheable {
  ttlMs?: number | undefined;
  cacheScope?: 'public' | 'private' | undefined;
}

export interface Paged extends Params {
  cursor?: string;
}

export interface Page extends Result, Cacheable {
  nextCursor?: string;
}

/** What a retry brings along. */
export interface Inputs {
  inputResponses?: InputResponses | undefined;
  requestState?: string | undefined;
}

export interface CallToolResult extends Result {
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
}

export interface ReadResourceResult extends Result, Cacheable {
  contents: ResourceContents[];
}

export interface GetPromptResult extends Result {
  description?: string | undefined;
  messages: PromptMessage[];
}

export interface CompleteParams extends Params {
  ref: { type: 'ref/prompt'; name: string; title?: string | undefined } | { type: 'ref/resource'; uri: string };
  argument: { name: string; value: string };
  context?: { arguments?: { [name: string]: string } | undefined } | undefined;
}

export interface CompleteResult extends Result {
  completion: { values: string[]; total?: number; hasMore?: boolean };
}

export interface DiscoverResult extends Result, Cacheable {
  supportedVersions: string[];
  capabilities: ServerCapabilities;
  instructions?: string;
}

export interface InitializeParams extends Params {
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
}

export interface InitializeResult extends Result {
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  instructions?: string;
}

/** What a listener wants to hear of. Absent and false mean: not this. */
export interface SubscriptionFilter {
  toolsListChanged?: boolean | undefined;
  promptsListChanged?: boolean | undefined;
  resourcesListChanged?: boolean | undefined;
  resourceSubscriptions?: string[] | undefined;
  /** Of the tasks extension. */
  taskIds?: string[] | undefined;
  [extension: string]: unknown;
}
