import { describeMismatch, isObject, type JsonObject, requireArgument } from '@tenon/base';

/** Version of the `mcp.lock` format. */
export const LOCKFILE_VERSION = 1;
/** Maximum number of definitions of one kind of a server. */
export const MAX_PINNED = 10_000;
/** Maximum length of a lock file, in characters. */
export const MAX_LOCK = 64 * 1024 * 1024;

/** Throws when an argument of a public function is no lock. */
export function requireLock(subject: string, lock: unknown): void {
  const isLock = isObject(lock) && lock.servers instanceof Map;
  requireArgument(`\`lock\` of ${subject}`, lock, () =>
    isLock ? undefined : describeMismatch('a lock of createLock or parseLockFile', lock),
  );
}

/**
 * Approved state of all servers: the source, the server's own description, and all definitions for models and users.
 */
export interface Lock {
  /** Servers by their names in the host. */
  readonly servers: ReadonlyMap<string, LockedServer>;
}

/** Approved state of one server. */
export interface LockedServer {
  /** Origin of the server: its command or URL. */
  readonly source: ServerSource;
  /** Server's own description: the members of its `serverInfo`, its `instructions`, and the protocol version. */
  readonly serverInfo: PinnedDefinition;
  /** Tools by name. */
  readonly tools: Definitions;
  /** Prompts by name. */
  readonly prompts: Definitions;
  /** Resources by URI. */
  readonly resources: Definitions;
  /** Resource templates by template. */
  readonly templates: Definitions;
  /**
   * Skills by the URI of their `SKILL.md`: the fields, and the digests of all files.
   * @default none
   */
  readonly skills?: Definitions | undefined;
  /**
   * Pages of apps by URI: the digest of the content, and what it may do.
   * @default none
   */
  readonly pages?: Definitions | undefined;
}

export type Definitions = ReadonlyMap<string, PinnedDefinition>;

/** Source of a server, without secrets. */
export type ServerSource = CommandSource | UrlSource;

export interface CommandSource {
  readonly command: string;
  readonly args: readonly string[];
  /**
   * Names of the environment variables. Variables that decide which program runs, such as NODE_OPTIONS and PATH, have
   * their value: `NAME=value`.
   */
  readonly env: readonly string[];
  readonly cwd?: string | undefined;
}

export interface UrlSource {
  readonly url: string;
  /** Names of the header fields, in lower case. */
  readonly headers: readonly string[];
  readonly transport?: string | undefined;
  /** URL of the API of an OpenAPI document. */
  readonly apiUrl?: string | undefined;
  /** Security schemes of an OpenAPI document for which there are credentials. */
  readonly auth?: readonly string[] | undefined;
  /** Patterns of operations of an OpenAPI document that are resources. */
  readonly resources?: readonly string[] | undefined;
  /** Origins of other servers of an OpenAPI document. */
  readonly serverOrigins?: readonly string[] | undefined;
}

/** Approved definition. */
export interface PinnedDefinition {
  /**
   * `sha256-` and a SHA-256 in base64url. It covers the canonical JSON of the definition, or of `{ definition, cut }`
   * if a member was cut.
   */
  readonly digest: string;
  /** Definition without the members that were too long. With it, a difference can be shown without the server. */
  readonly definition: JsonObject;
  readonly cut?: Readonly<Record<string, TruncatedMember>> | undefined;
}

/** Member that was too long to be stored. */
export interface TruncatedMember {
  readonly digest: string;
  /** Length of the member as JSON, in characters. */
  readonly length: number;
  /** Beginning of the text. */
  readonly excerpt: string;
}

/** Kind of definition that a lock file pins. */
export type PinnedKind = 'tool' | 'prompt' | 'resource' | 'template' | 'skill' | 'page';

/** Member of a lock and of an inventory that contains the definitions of each kind. */
export const SECTIONS = {
  tool: 'tools',
  prompt: 'prompts',
  resource: 'resources',
  template: 'templates',
  skill: 'skills',
  page: 'pages',
} as const;

export const PINNED_KINDS: readonly PinnedKind[] = ['tool', 'prompt', 'resource', 'template', 'skill', 'page'];
