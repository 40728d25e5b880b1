import type { JsonObject } from '../jsonrpc/message.js';

/** https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result */

/** Metadata that rides along. Keys are `prefix/name`; prefixes whose second label is `mcp` or `modelcontextprotocol` are reserved. */
export type Meta = { [key: string]: unknown };

export type Role = 'user' | 'assistant';

/** Hints for whoever shows or uses a piece of content. */
export interface Annotations {
  audience?: Role[] | undefined;
  /** 0 (least) to 1 (most important). */
  priority?: number | undefined;
  /** ISO 8601. */
  lastModified?: string | undefined;
}

export interface TextContent {
  type: 'text';
  text: string;
  annotations?: Annotations | undefined;
  _meta?: Meta | undefined;
}

export interface ImageContent {
  type: 'image';
  /** Base64. */
  data: string;
  mimeType: string;
  annotations?: Annotations | undefined;
  _meta?: Meta | undefined;
}

export interface AudioContent {
  type: 'audio';
  /** Base64. */
  data: string;
  mimeType: string;
  annotations?: Annotations | undefined;
  _meta?: Meta | undefined;
}

/** A resource that the client can read when it wants to. */
export interface ResourceLink extends Resource {
  type: 'resource_link';
}

/** A resource that is there already. */
export interface EmbeddedResource {
  type: 'resource';
  resource: ResourceContents;
  annotations?: Annotations | undefined;
  _meta?: Meta | undefined;
}

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

export interface TextResourceContents {
  uri: string;
  mimeType?: string | undefined;
  text: string;
  _meta?: Meta | undefined;
}

export interface BlobResourceContents {
  uri: string;
  mimeType?: string | undefined;
  /** Base64. */
  blob: string;
  _meta?: Meta | undefined;
}

export type ResourceContents = TextResourceContents | BlobResourceContents;

/** An image of a thing. `src` is an `https:` or `data:` URI; whoever shows it treats it as untrusted. */
export interface Icon {
  src: string;
  mimeType?: string | undefined;
  /** `48x48`, `any`. */
  sizes?: string[] | undefined;
  theme?: 'light' | 'dark' | undefined;
}

/** Members of everything with a name. */
export interface BaseMetadata {
  /** For programs. */
  name: string;
  /** For people. */
  title?: string | undefined;
  icons?: Icon[] | undefined;
}

/** Identity of a client or a server. */
export interface Implementation extends BaseMetadata {
  version: string;
  description?: string | undefined;
  websiteUrl?: string | undefined;
}

export interface Resource extends BaseMetadata {
  uri: string;
  description?: string | undefined;
  mimeType?: string | undefined;
  annotations?: Annotations | undefined;
  /** Bytes, before base64. */
  size?: number | undefined;
  _meta?: Meta | undefined;
}

export interface ResourceTemplate extends BaseMetadata {
  /** RFC 6570. */
  uriTemplate: string;
  description?: string | undefined;
  mimeType?: string | undefined;
  annotations?: Annotations | undefined;
  _meta?: Meta | undefined;
}

export interface ToolAnnotations {
  title?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
}

/** Execution of a tool, on versions where tasks are made by a parameter. */
export interface ToolExecution {
  /** Execution as a task. Absent: forbidden. */
  taskSupport?: 'forbidden' | 'optional' | 'required' | undefined;
}

export interface Tool extends BaseMetadata {
  description?: string | undefined;
  /** JSON Schema 2020-12 unless it names another dialect. */
  inputSchema: JsonObject & { type: 'object' };
  outputSchema?: JsonObject | undefined;
  annotations?: ToolAnnotations | undefined;
  execution?: ToolExecution | undefined;
  _meta?: Meta | undefined;
}

export interface PromptArgument {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  required?: boolean | undefined;
}

export interface Prompt extends BaseMetadata {
  description?: string | undefined;
  arguments?: PromptArgument[] | undefined;
  _meta?: Meta | undefined;
}

export interface PromptMessage {
  role: Role;
  content: ContentBlock;
}

/** From least to most severe. https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging */
export const LOGGING_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

export type LoggingLevel = (typeof LOGGING_LEVELS)[number];

/** Reads a level that a peer sent. Many logging libraries write `warn`, so it is read as `warning`; it is never sent. */
export function readLoggingLevel(value: unknown): LoggingLevel | undefined {
  return value === 'warn' ? 'warning' : LOGGING_LEVELS.find(level => level === value);
}

/** A file system place that the client lets servers know of. */
export interface Root {
  /** A `file:` URI. */
  uri: string;
  name?: string | undefined;
  _meta?: Meta | undefined;
}
