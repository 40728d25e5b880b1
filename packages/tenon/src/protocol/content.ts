import type { JsonObject } from '../jsonrpc/message.js';

/** https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result */

/**
 * Metadata that rides along. Keys are `prefix/name`; prefixes whose second label is `mcp` or `modelcontextprotocol` are
 * reserved.
 */
export type Meta = { [key: string]: unknown };

export type Role = 'user' | 'assistant';

/** Hints for a user interface or a model about a piece of content. */
export interface Annotations {
  audience?: Role[] | undefined;
  /** 0 (least) to 1 (most important). */
  priority?: number | undefined;
  /** ISO 8601. */
  lastModified?: string | undefined;
}

/** Text in a message or a tool result. */
export interface TextContent {
  /** Discriminates kinds of content. */
  type: 'text';
  /** The text. */
  text: string;
  /** Hints for the client: audience, priority, last change. */
  annotations?: Annotations | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}

/** An image in a message or a tool result. */
export interface ImageContent {
  /** Discriminates kinds of content. */
  type: 'image';
  /** Base64. */
  data: string;
  /** MIME type. */
  mimeType: string;
  /** Hints for the client: audience, priority, last change. */
  annotations?: Annotations | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}

/** Audio in a message or a tool result. */
export interface AudioContent {
  /** Discriminates kinds of content. */
  type: 'audio';
  /** Base64. */
  data: string;
  /** MIME type. */
  mimeType: string;
  /** Hints for the client: audience, priority, last change. */
  annotations?: Annotations | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}

/** A resource that the client can read when it wants to. */
export interface ResourceLink extends Resource {
  /** Discriminates kinds of content. */
  type: 'resource_link';
}

/** A resource that is there already. */
export interface EmbeddedResource {
  /** Discriminates kinds of content. */
  type: 'resource';
  /** Contents of the resource. */
  resource: ResourceContents;
  /** Hints for the client: audience, priority, last change. */
  annotations?: Annotations | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}

/** One block of content: text, image, audio, a resource, or a link to a resource. */
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

/** Contents of a resource: text, or bytes in base64. */
export type ResourceContents = TextResourceContents | BlobResourceContents;

/** An icon. `src` is an `https:` or `data:` URI. A user interface must treat it as untrusted. */
export interface Icon {
  /** URL of the image: `https:` or `data:`. */
  src: string;
  /** MIME type. */
  mimeType?: string | undefined;
  /** `48x48`, `any`. */
  sizes?: string[] | undefined;
  /** Background for which the icon is made. */
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
  /** Version of the program. */
  version: string;
  /** Description for people and models. */
  description?: string | undefined;
  /** Home page of the program. */
  websiteUrl?: string | undefined;
}

/** A resource as a server lists it. */
export interface Resource extends BaseMetadata {
  /** URI of the resource. */
  uri: string;
  /** Description for people and models. */
  description?: string | undefined;
  /** MIME type. */
  mimeType?: string | undefined;
  /** Hints for the client: audience, priority, last change. */
  annotations?: Annotations | undefined;
  /** Bytes, before base64. */
  size?: number | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}

/** A template of resource URIs as a server lists it. */
export interface ResourceTemplate extends BaseMetadata {
  /** RFC 6570. */
  uriTemplate: string;
  /** Description for people and models. */
  description?: string | undefined;
  /** MIME type. */
  mimeType?: string | undefined;
  /** Hints for the client: audience, priority, last change. */
  annotations?: Annotations | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}

/** Hints about a tool. Clients must not trust them unless they trust the server. */
export interface ToolAnnotations {
  /** Name for people. */
  title?: string | undefined;
  /** The tool changes nothing. Default false. */
  readOnlyHint?: boolean | undefined;
  /** The tool may delete or overwrite. Default true; meaningful when `readOnlyHint` is false. */
  destructiveHint?: boolean | undefined;
  /** Repeating a call with the same arguments has no further effect. Default false. */
  idempotentHint?: boolean | undefined;
  /** The tool deals with systems outside of the server. Default true. */
  openWorldHint?: boolean | undefined;
}

/** Execution of a tool, on versions where tasks are made by a parameter. */
export interface ToolExecution {
  /** Execution as a task. Absent: forbidden. */
  taskSupport?: 'forbidden' | 'optional' | 'required' | undefined;
}

/** A tool as a server lists it. */
export interface Tool extends BaseMetadata {
  /** Description for people and models. */
  description?: string | undefined;
  /** JSON Schema 2020-12 unless it names another dialect. */
  inputSchema: JsonObject & { type: 'object' };
  /** JSON Schema of `structuredContent`. */
  outputSchema?: JsonObject | undefined;
  /** Hints about the effects of the tool. */
  annotations?: ToolAnnotations | undefined;
  /** States whether calls may become tasks. */
  execution?: ToolExecution | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}

export interface PromptArgument {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  required?: boolean | undefined;
}

/** A prompt as a server lists it. */
export interface Prompt extends BaseMetadata {
  /** Description for people and models. */
  description?: string | undefined;
  /** Arguments that the prompt takes. */
  arguments?: PromptArgument[] | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}

/** One message of a prompt. */
export interface PromptMessage {
  /** Speaker of the message. */
  role: Role;
  /** Content of the message. */
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

/** Severity of a log message, from RFC 5424. */
export type LoggingLevel = (typeof LOGGING_LEVELS)[number];

/**
 * Reads a level that a peer sent. Many logging libraries write `warn`, so it is read as `warning`; it is never sent.
 */
export function readLoggingLevel(value: unknown): LoggingLevel | undefined {
  return value === 'warn' ? 'warning' : LOGGING_LEVELS.find(level => level === value);
}

/** A file system place that the client lets servers know of. */
export interface Root {
  /** A `file:` URI. */
  uri: string;
  /** Name for people. */
  name?: string | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}
