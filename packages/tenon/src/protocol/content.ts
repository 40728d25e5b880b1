import type { JsonObject } from '@tenon/base';

/**
 * Content of messages, tools, prompts and resources.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result
 */

/**
 * Metadata of a message or an item. Keys have the form `prefix/name`. Prefixes whose second label is `mcp` or
 * `modelcontextprotocol` are reserved.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export type Meta = { [key: string]: unknown };

export type Role = 'user' | 'assistant';

/** Hints about content, for a user interface or a model. */
export interface Annotations {
  audience?: Role[] | undefined;
  /** Importance, from 0 (least) to 1 (most). */
  priority?: number | undefined;
  /** Time of the last change, in ISO 8601. */
  lastModified?: string | undefined;
}

/** Text in a message or a tool result. */
export interface TextContent {
  /** Kind of the content. */
  type: 'text';
  /** The text for the model or the user. */
  text: string;
  /** Hints for the client: audience, priority, last change. */
  annotations?: Annotations | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}

/** An image in a message or a tool result. */
export interface ImageContent {
  /** Kind of the content. */
  type: 'image';
  /** The image, in base64. */
  data: string;
  /** Media type of the image, for example `image/png`. */
  mimeType: string;
  /** Hints for the client: audience, priority, last change. */
  annotations?: Annotations | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}

/** Audio in a message or a tool result. */
export interface AudioContent {
  /** Kind of the content. */
  type: 'audio';
  /** The audio data, in base64. */
  data: string;
  /** Media type of the audio, for example `audio/wav`. */
  mimeType: string;
  /** Hints for the client: audience, priority, last change. */
  annotations?: Annotations | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}

/** A link to a resource that the client can read. */
export interface ResourceLink extends Resource {
  /** Kind of the content. */
  type: 'resource_link';
}

/** A resource whose contents are part of the message. */
export interface EmbeddedResource {
  /** Kind of the content. */
  type: 'resource';
  /** Text or bytes of the resource, with its URI. */
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
  /** The bytes, in base64. */
  blob: string;
  _meta?: Meta | undefined;
}

/** Contents of a resource: text, or bytes in base64. */
export type ResourceContents = TextResourceContents | BlobResourceContents;

/** An icon. `src` is an `https:` or `data:` URI. A user interface must treat it as untrusted. */
export interface Icon {
  /** URL of the image: `https:` or `data:`. */
  src: string;
  /** Media type of the image, for example `image/svg+xml`. */
  mimeType?: string | undefined;
  /** Sizes of the image: `48x48`, or `any` for a scalable image. */
  sizes?: string[] | undefined;
  /** Background for which the icon is designed. */
  theme?: 'light' | 'dark' | undefined;
}

/** Members of every item with a name. */
export interface BaseMetadata {
  /** Name for programs. `title` is the name for people. */
  name: string;
  /** Name for people. */
  title?: string | undefined;
  icons?: Icon[] | undefined;
}

/** Identity of a client or a server. */
export interface Implementation extends BaseMetadata {
  /** Version of the client or server program. */
  version: string;
  /** Description for people and models. */
  description?: string | undefined;
  /** Home page of the program. */
  websiteUrl?: string | undefined;
}

/** A resource in the list of a server. */
export interface Resource extends BaseMetadata {
  /** URI with which clients read the resource. */
  uri: string;
  /** Description for people and models. */
  description?: string | undefined;
  /** Media type of the contents, for example `text/markdown`. */
  mimeType?: string | undefined;
  /** Hints for the client: audience, priority, last change. */
  annotations?: Annotations | undefined;
  /** Size in bytes, before base64. */
  size?: number | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}

/** A template of resource URIs in the list of a server. */
export interface ResourceTemplate extends BaseMetadata {
  /** URI template of RFC 6570. */
  uriTemplate: string;
  /** Description for people and models. */
  description?: string | undefined;
  /** Media type of the contents, if all matching resources have the same. */
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
  /**
   * True if the tool changes nothing.
   * @default `false`
   */
  readOnlyHint?: boolean | undefined;
  /**
   * True if the tool may delete or overwrite data. Only meaningful if `readOnlyHint` is false.
   * @default `true`
   */
  destructiveHint?: boolean | undefined;
  /**
   * True if another call with the same arguments has no further effect.
   * @default `false`
   */
  idempotentHint?: boolean | undefined;
  /**
   * True if the tool accesses systems outside the server.
   * @default `true`
   */
  openWorldHint?: boolean | undefined;
}

/** Execution settings of a tool, on protocol versions with the `task` parameter. */
export interface ToolExecution {
  /**
   * Support for tasks.
   * @default forbidden
   */
  taskSupport?: 'forbidden' | 'optional' | 'required' | undefined;
}

/** A tool in the list of a server. */
export interface Tool extends BaseMetadata {
  /** Description for people and models. */
  description?: string | undefined;
  /** JSON Schema of the arguments. It is JSON Schema 2020-12 unless it names another dialect. */
  inputSchema: JsonObject & { type: 'object' };
  /** JSON Schema of `structuredContent`. */
  outputSchema?: JsonObject | undefined;
  /** Hints about the effects of the tool. */
  annotations?: ToolAnnotations | undefined;
  /** Tells if calls may become tasks. */
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

/** A prompt in the list of a server. */
export interface Prompt extends BaseMetadata {
  /** Description for people and models. */
  description?: string | undefined;
  /** Arguments that a client can pass to the prompt. */
  arguments?: PromptArgument[] | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}

/** One message of a prompt, with its author and its content. */
export interface PromptMessage {
  /** Author of the message: the user or the model. */
  role: Role;
  /** One block of content: text, an image, audio, a resource, or a link. */
  content: ContentBlock;
}

/**
 * The log levels, from the least to the most severe.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
 */
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

/** Tells if a log level is as severe as a minimum, or more severe. Without a minimum, nothing is logged. */
export const reachesLogLevel = (level: LoggingLevel, minimum: LoggingLevel | undefined): boolean =>
  minimum !== undefined && LOGGING_LEVELS.indexOf(level) >= LOGGING_LEVELS.indexOf(minimum);

/**
 * Reads a log level that a peer sent. `warn` is read as `warning`, because many logging libraries use it. It is never
 * sent.
 */
export function readLoggingLevel(value: unknown): LoggingLevel | undefined {
  return value === 'warn' ? 'warning' : LOGGING_LEVELS.find(level => level === value);
}

/** A folder that the client makes known to servers. */
export interface Root {
  /** URI of the folder, which must be a `file:` URI. */
  uri: string;
  /** Name of the folder for people. */
  name?: string | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}
