import type { JsonObject } from '../../../jsonrpc/message.js';

/** The form of `mcp.lock` that is written here. */
export const LOCKFILE_VERSION = 1;
/** Maximum number of definitions of one kind of a server. */
export const MAX_PINNED = 10_000;
/** Maximum length of a lock file, in characters. */
export const MAX_LOCK = 64 * 1024 * 1024;

/** Approved state of every server: its source, its own description, and all definitions for models and users. */
export interface Lock {
  /** By their names in the host. */
  readonly servers: ReadonlyMap<string, LockedServer>;
}

/** A server as the lock file records it. */
export interface LockedServer {
  /** Origin of the server: its command or URL. */
  readonly source: ServerSource;
  /** Description of the server: the members of its `serverInfo`, its `instructions`, and the protocol version. */
  readonly serverInfo: PinnedDefinition;
  /** By name, those of resources by URI, those of templates by URI template. */
  readonly tools: Definitions;
  /** Prompts by name. */
  readonly prompts: Definitions;
  /** Resources by URI. */
  readonly resources: Definitions;
  /** Resource templates by template. */
  readonly templates: Definitions;
}

export type Definitions = ReadonlyMap<string, PinnedDefinition>;

/** Source of a server, without secrets. */
export type ServerSource = CommandSource | UrlSource;

export interface CommandSource {
  readonly command: string;
  readonly args: readonly string[];
  /** The names of the variables; with `=value` those that decide what is run, such as NODE_OPTIONS and PATH. */
  readonly env: readonly string[];
  readonly cwd?: string | undefined;
}

export interface UrlSource {
  readonly url: string;
  /** Their names, in small letters. */
  readonly headers: readonly string[];
  readonly transport?: string | undefined;
}

/** One definition as it was approved. */
export interface PinnedDefinition {
  /**
   * `sha256-` and a SHA-256 in base64url: of the canonical JSON of the definition or, where something of it was cut, of
   * `{ definition, cut }`.
   */
  readonly digest: string;
  /** The definition itself, so that a difference can be shown without the server, except for what was too long. */
  readonly definition: JsonObject;
  readonly cut?: Readonly<Record<string, TruncatedMember>> | undefined;
}

/** A member that was too long to be kept. */
export interface TruncatedMember {
  readonly digest: string;
  /** Characters of its JSON. */
  readonly length: number;
  /** Beginning of the text. */
  readonly excerpt: string;
}

/** Kind of definition that a lock file pins. */
export type PinnedKind = 'tool' | 'prompt' | 'resource' | 'template';

/** Under which member a lock, and what a server offers, has the definitions of a kind. */
export const SECTIONS = { tool: 'tools', prompt: 'prompts', resource: 'resources', template: 'templates' } as const;

export const PINNED_KINDS: readonly PinnedKind[] = ['tool', 'prompt', 'resource', 'template'];
