import type { Optional } from '@tenon/base';
import type { LockedServer, PinnedKind, TruncatedMember } from './lock.js';

/** Kinds of differences from the approved state. */
export type DriftKind =
  | 'unknown server'
  | 'removed server'
  | 'command'
  | 'url'
  | 'identity'
  | 'version'
  | 'protocol version'
  | 'instructions'
  | 'added'
  | 'removed'
  | 'duplicate'
  | 'title'
  | 'description'
  | 'input schema'
  | 'output schema'
  | 'annotations'
  | 'arguments'
  | 'execution'
  | 'icons'
  | 'meta'
  | 'fields'
  | 'files'
  | 'content'
  | 'member';

/**
 * Severity of a difference. `approve`: the definition is blocked until a person approves the change. `note`: the change
 * has no effect on models or users.
 */
export type DriftSeverity = 'approve' | 'note';

/** Difference of one server from the lock. A renamed definition results in two: one removed and one added. */
export interface Drift {
  /** Name of the server. */
  readonly server: string;
  /** Kind of change. */
  readonly kind: DriftKind;
  /** Severity of the change: `approve` if it must be approved. */
  readonly severity: DriftSeverity;
  /** Kind of the changed definition. */
  readonly of: 'server' | PinnedKind;
  /** Name of the server, tool or prompt, URI of the resource, skill or page, or URI template. */
  readonly name: string;
  /** Member of the definition that differs. Absent if the whole definition differs. */
  readonly member?: string | undefined;
  /** Previous value. `undefined` if there is none. For a value that was too long to be stored, see `beforeCut`. */
  readonly before?: unknown;
  /** Digest and beginning of a previous value that was too long to be stored. */
  readonly beforeCut?: TruncatedMember | undefined;
  /** Current value. `undefined` if there is none. */
  readonly after?: unknown;
  /** Known data of a server that is not in the lock. */
  readonly found?: (Pick<LockedServer, 'source'> & Optional<LockedServer>) | undefined;
}

const NOTE_KINDS: ReadonlySet<DriftKind> = new Set([
  'version',
  'protocol version',
  'icons',
  'execution',
  'removed',
  'removed server',
] as const);

export const getDriftSeverity = (kind: DriftKind): DriftSeverity => (NOTE_KINDS.has(kind) ? 'note' : 'approve');

const MEMBER_KINDS: Readonly<Record<string, DriftKind>> = {
  title: 'title',
  description: 'description',
  inputSchema: 'input schema',
  outputSchema: 'output schema',
  annotations: 'annotations',
  arguments: 'arguments',
  execution: 'execution',
  icons: 'icons',
  _meta: 'meta',
  frontmatter: 'fields',
  resources: 'files',
  digest: 'content',
};

const SERVER_MEMBER_KINDS: Readonly<Record<string, DriftKind>> = {
  version: 'version',
  revision: 'protocol version',
  instructions: 'instructions',
  icons: 'icons',
};

/** Returns the kind of change for a member of a definition or of the server's own description. */
export function getDriftKind(of: Drift['of'], member: string): DriftKind {
  const [names, other]: [Readonly<Record<string, DriftKind>>, DriftKind] =
    of === 'server' ? [SERVER_MEMBER_KINDS, 'identity'] : [MEMBER_KINDS, 'member'];
  return Object.hasOwn(names, member) ? (names[member] ?? other) : other;
}
