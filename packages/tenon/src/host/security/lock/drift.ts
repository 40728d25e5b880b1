import type { Optional } from '../../../protocol/defaults.js';
import type { LockedServer, PinnedKind, TruncatedMember } from './lock.js';

/** Kinds of differences from the approved state. */
export type DriftKind =
  | 'unknown server'
  | 'removed server'
  | 'command'
  | 'url'
  | 'identity'
  | 'version'
  | 'revision'
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
  | 'member';

/** `approve`: nothing of it may be used until a person has seen it. `note`: it changes nothing that anybody acts on. */
export type DriftSeverity = 'approve' | 'note';

/** One change of one server. Another name is two: the definition under the one is removed, that under the other added. */
export interface Drift {
  /** Name of the server. */
  readonly server: string;
  /** Kind of change. */
  readonly kind: DriftKind;
  /** States whether the change must be approved. */
  readonly severity: DriftSeverity;
  /** Kind of the changed definition. */
  readonly of: 'server' | PinnedKind;
  /** The name of the server, tool or prompt, the URI of the resource, the URI template. */
  readonly name: string;
  /** The member of the definition that differs. */
  readonly member?: string | undefined;
  /** JSON values; `undefined` where there is none. Of what was too long to be kept only `beforeCut` is known. */
  readonly before?: unknown;
  /** Part of the earlier value that the lock file does not hold. */
  readonly beforeCut?: TruncatedMember | undefined;
  /** The value now. */
  readonly after?: unknown;
  /** All of a server that the lock does not know, as far as it is known. */
  readonly found?: (Pick<LockedServer, 'source'> & Optional<LockedServer>) | undefined;
}

const NOTE_KINDS: ReadonlySet<DriftKind> = new Set([
  'version',
  'revision',
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
};

const SERVER_MEMBER_KINDS: Readonly<Record<string, DriftKind>> = {
  version: 'version',
  revision: 'revision',
  instructions: 'instructions',
  icons: 'icons',
};

/** Returns the kind of a change of a member of a definition, or of the server's own description. */
export function getDriftKind(of: Drift['of'], member: string): DriftKind {
  const [names, other]: [Readonly<Record<string, DriftKind>>, DriftKind] =
    of === 'server' ? [SERVER_MEMBER_KINDS, 'identity'] : [MEMBER_KINDS, 'member'];
  return Object.hasOwn(names, member) ? (names[member] ?? other) : other;
}
