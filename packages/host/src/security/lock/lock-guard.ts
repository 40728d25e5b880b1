import { requireKnownOptions, TenonError, toCanonicalJson } from '@tenon/base';
import type { ServerInventory } from '../../catalog/server-inventory.js';
import type { ServerEntry } from '../../config/server-entry.js';
import { acceptDrift } from './accept-drift.js';
import { compareWithLock } from './compare-with-lock.js';
import type { Drift } from './drift.js';
import { type Lock, type LockedServer, PINNED_KINDS, type PinnedKind } from './lock.js';
import { createNamedQueue } from './named-queue.js';
import { serializeLock } from './serialize-lock.js';

/** Maximum number of prompts about one server. Its further changes are refused. */
export const MAX_CONFIRMATIONS = 20;

/** Options of `createLockGuard`. */
export interface LockGuardOptions {
  /** Content of the lock file. */
  readonly lock: Lock;
  /**
   * Handling of a change that must be approved. `block` blocks it, and `ask` calls `confirm`. `warn` reports a rug
   * pull but does not stop it.
   * @default `block`
   */
  readonly onChanged?: 'block' | 'ask' | 'warn' | undefined;
  /**
   * Handling of a server that is not in the lock. `block` blocks it, and `ask` calls `confirm`. `trust-first` accepts
   * its first definitions without approval.
   * @default `block`
   */
  readonly onUnknown?: 'block' | 'ask' | 'trust-first' | undefined;
  /**
   * Asks a person about changes. Required for `ask`.
   *
   * Resolve with true if all are approved, or with the approved ones. A rejection approves none.
   */
  readonly confirm?: ((drifts: readonly Drift[]) => Promise<boolean | readonly Drift[]>) | undefined;
  /**
   * Kinds of definitions to check in addition to the server itself. Exclude `resource` for servers whose resources
   * change often.
   * @default all
   */
  readonly kinds?: readonly PinnedKind[] | undefined;
  /**
   * Called with changes that were approved or trusted, to store them: `file.update(lock => acceptDrift(lock,
   * drifts))`. If it fails, `isUnsaved` is true.
   * @default none, and approvals are not stored
   */
  readonly onApproved?: ((drifts: readonly Drift[]) => void | Promise<void>) | undefined;
}

/** Decision of the lock about a server. */
export interface LockVerdict {
  /** True if nothing is blocked. */
  readonly ok: boolean;
  /** Blocked items, with the names of the server. An item of kind `server` blocks the whole server. */
  readonly blocked: readonly BlockedItem[];
  /** All remaining differences from the lock, including those of severity `note`. */
  readonly drifts: readonly Drift[];
}

export interface BlockedItem {
  readonly kind: 'server' | PinnedKind;
  readonly name: string;
  readonly drifts: readonly Drift[];
}

/** Compares servers with a lock, and blocks changes that are not approved. */
export interface LockGuard {
  /** Lock, including the changes that were approved since it was read. */
  readonly lock: Lock;
  /** True if `onApproved` has not stored an approval. */
  readonly isUnsaved: boolean;
  /**
   * Checks a server against the lock: its source before it is started, and its inventory after each change. Checks of
   * one server run one after another.
   *
   * Rejects like `compareWithLock`. The whole server must then be blocked.
   */
  check(entry: ServerEntry, inventory?: ServerInventory): Promise<LockVerdict>;
  /** Adds approved changes to the lock. Use it for approvals that did not come from `confirm`. */
  approve(drifts: readonly Drift[]): Promise<void>;
}

/** Tells if a decision blocks an item. */
export function isBlocked({ blocked }: LockVerdict, kind: PinnedKind | 'method', name: string): boolean {
  return blocked.some(each => each.kind === 'server' || (each.kind === kind && each.name === name));
}

/**
 * Creates a guard that compares servers with a lock.
 * @throws TenonError `lock/no-confirm` if `onChanged` or `onUnknown` is `ask` and there is no `confirm`.
 */
export function createLockGuard(options: LockGuardOptions): LockGuard {
  requireKnownOptions('createLockGuard', options, {
    lock: true,
    onChanged: true,
    onUnknown: true,
    confirm: true,
    kinds: true,
    onApproved: true,
  });
  const { onChanged = 'block', onUnknown = 'block', confirm, kinds = PINNED_KINDS, onApproved } = options;
  if (confirm === undefined && (onChanged === 'ask' || onUnknown === 'ask')) {
    throw new TenonError('lock/no-confirm', '`confirm` is missing for changes of a server', {
      hint: 'pass `confirm`, or set `onChanged` to "block"',
    });
  }
  const servers = createNamedQueue();
  const confirmations = createConfirmations(confirm);
  let blocked = options.lock;
  let isUnsaved = false;

  /** Approvals that wait for the store of earlier ones. They are stored together. */
  let pending: (readonly Drift[])[] = [];
  let nextStore: Promise<void> | undefined;
  let lastStore: Promise<void> = Promise.resolve();

  async function approve(drifts: readonly Drift[]): Promise<void> {
    // Wrong drifts of one caller must not reject the approvals of others.
    await acceptDrift(blocked, drifts);
    pending.push(drifts);
    nextStore ??= lastStore.then(storePending, storePending);
    lastStore = nextStore;
    await nextStore;
  }

  async function storePending(): Promise<void> {
    const all = pending;
    pending = [];
    nextStore = undefined;
    blocked = await acceptDrift(blocked, all.flat());
    if (await notifyApproved(onApproved, all.flat())) return;
    // One of them may be the reason, and the others can be stored without it.
    for (const drifts of all) if (all.length === 1 || !(await notifyApproved(onApproved, drifts))) isUnsaved = true;
  }

  const mustBeApproved = (drifts: readonly Drift[]) =>
    drifts.filter(({ severity, of }) => severity === 'approve' && (of === 'server' || kinds.includes(of)));

  async function check(entry: ServerEntry, inventory?: ServerInventory): Promise<LockVerdict> {
    const drifts = await compareWithLock(blocked, entry, inventory);
    const blocking = mustBeApproved(drifts);
    const isUnknown = !blocked.servers.has(entry.name);
    const mode = isUnknown ? onUnknown : onChanged;
    // The configuration decides if an unknown server may be started. Without an inventory there is nothing to lock.
    const waits = isUnknown && inventory === undefined && mode !== 'block';
    if (mode === 'warn' || waits) return toVerdict(drifts, []);
    if (mode === 'block' || blocking.length === 0) return toVerdict(drifts, blocking);
    const granted = mode === 'trust-first' ? blocking : await confirmations.request(entry.name, blocking);
    if (granted.length === 0) return toVerdict(drifts, blocking);
    await approve(granted);
    const left = await compareWithLock(blocked, entry, inventory);
    return toVerdict(left, onChanged === 'warn' && blocked.servers.has(entry.name) ? [] : mustBeApproved(left));
  }

  return {
    get lock() {
      return blocked;
    },
    get isUnsaved() {
      return isUnsaved;
    },
    check: (entry, inventory) => servers.run(entry.name, () => check(entry, inventory)),
    approve,
  };
}

async function notifyApproved(onApproved: LockGuardOptions['onApproved'], drifts: readonly Drift[]): Promise<boolean> {
  try {
    await onApproved?.(drifts);
    return onApproved !== undefined;
  } catch {
    return false;
  }
}

function toVerdict(drifts: readonly Drift[], blocking: readonly Drift[]): LockVerdict {
  return { ok: blocking.length === 0, blocked: groupByDefinition(blocking), drifts };
}

function groupByDefinition(drifts: readonly Drift[]): BlockedItem[] {
  const found = new Map<string, Drift[]>();
  for (const drift of drifts) {
    const key = `${drift.of} ${drift.name}`;
    found.set(key, [...(found.get(key) ?? []), drift]);
  }
  return [...found.values()].map(all => ({ kind: all[0]!.of, name: all[0]!.name, drifts: all }));
}

/** Asks a person about each change only once. A refused change stays refused until it changes again. */
function createConfirmations(ask: LockGuardOptions['confirm']) {
  const refused = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  return {
    async request(server: string, drifts: readonly Drift[]): Promise<readonly Drift[]> {
      const already = refused.get(server) ?? new Set();
      const open = drifts.filter(drift => drift.kind !== 'duplicate' && !already.has(getDriftKey(drift)));
      const count = counts.get(server) ?? 0;
      if (open.length === 0 || count >= MAX_CONFIRMATIONS || ask === undefined) return [];
      counts.set(server, count + 1);
      const answer = await Promise.resolve(open)
        .then(ask)
        .catch(() => false as const);
      const granted = typeof answer === 'boolean' ? (answer ? open : []) : open.filter(each => answer.includes(each));
      const left = open.filter(drift => !granted.includes(drift)).map(getDriftKey);
      refused.set(server, new Set([...already, ...left]));
      return granted;
    },
  };
}

const getDriftKey = ({ found, ...drift }: Drift): string =>
  found?.serverInfo === undefined
    ? toCanonicalJson(drift)
    : serializeLock({ servers: new Map([[drift.server, found as LockedServer]]) });
