import { canonical } from '../../conversation/asking/canonical.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { ServerEntry } from '../config/server-entry.js';
import type { Offered } from '../offered.js';
import { accept } from './accepting.js';
import { compare } from './comparing.js';
import type { Drift } from './drift.js';
import { type Lock, type LockedServer, PINNED_KINDS, type PinnedKind } from './lock.js';
import { createTurns } from './turns.js';
import { writeLock } from './writing.js';

/** How often a person is asked about one server before its changes are refused unseen: nobody is to be worn down. */
export const MAX_QUESTIONS = 20;

export interface GateOptions {
  readonly lock: Lock;
  /** What becomes of a change that must be approved. `warn` lets it pass: a rug pull is told of and not stopped. Default `block`. */
  readonly onDrift?: 'block' | 'ask' | 'warn' | undefined;
  /** What becomes of a server that is not in the lock. `trust-first` takes whatever it offers first. Default `block`. */
  readonly unknown?: 'block' | 'ask' | 'trust-first' | undefined;
  /** Asks a person. `true`: all of it is approved; or what of it is. What it throws is a no. */
  readonly ask?: ((drifts: readonly Drift[]) => Promise<boolean | readonly Drift[]>) | undefined;
  /** Which definitions are held to the lock besides the server itself. Default all; the resources of many servers come and go. */
  readonly kinds?: readonly PinnedKind[] | undefined;
  /** Hears what was approved or trusted, to write it: `file.update(lock => accept(lock, drifts))`. When it fails, `unsaved` says so. */
  readonly onApproved?: ((drifts: readonly Drift[]) => void | Promise<void>) | undefined;
}

/** What may be used of a server. */
export interface GateVerdict {
  /** Nothing is blocked. */
  readonly ok: boolean;
  /** By the server's own names; of kind `server`: nothing of it may be used. */
  readonly blocked: readonly Blocked[];
  /** All that differs from the lock still, notes as well. */
  readonly drifts: readonly Drift[];
}

export interface Blocked {
  readonly kind: 'server' | PinnedKind;
  readonly name: string;
  readonly drifts: readonly Drift[];
}

export interface Gate {
  /** The lock with all that was approved since. */
  readonly lock: Lock;
  /** Whether something was approved since that `onApproved` has not seen to. */
  readonly unsaved: boolean;
  /**
   * Judges a server: before it is started by where it comes from, then, and with each change, by what it offers. Checks
   * of one server run one after another. Rejects as `compare` does; then nothing of the server may be used.
   */
  check(entry: ServerEntry, offered?: Offered): Promise<GateVerdict>;
  /** Takes into the lock what a person has approved elsewhere: exactly these changes. */
  approve(drifts: readonly Drift[]): Promise<void>;
}

/** Whether a verdict keeps something from being used. */
export function isBlocked({ blocked }: GateVerdict, kind: PinnedKind | 'method', name: string): boolean {
  return blocked.some(each => each.kind === 'server' || (each.kind === kind && each.name === name));
}

/** Holds servers to a lock. Throws `lock/nobody-to-ask` when it is to ask and has no `ask`. */
export function createGate(options: GateOptions): Gate {
  const { onDrift = 'block', unknown = 'block', ask, kinds = PINNED_KINDS, onApproved } = options;
  if (ask === undefined && (onDrift === 'ask' || unknown === 'ask')) {
    throw new TenonError('lock/nobody-to-ask', 'the gate is to ask, and has nobody to ask', { next: 'give `ask`' });
  }
  const servers = createTurns();
  const changes = createTurns();
  const questions = createQuestions(ask);
  let held = options.lock;
  let unsaved = false;

  const approve = (drifts: readonly Drift[]) =>
    changes.take('', async () => {
      held = await accept(held, drifts);
      const saved = await save(onApproved, drifts);
      unsaved ||= !saved;
    });

  const mustBeApproved = (drifts: readonly Drift[]) =>
    drifts.filter(({ severity, of }) => severity === 'approve' && (of === 'server' || kinds.includes(of)));

  async function check(entry: ServerEntry, offered?: Offered): Promise<GateVerdict> {
    const drifts = await compare(held, entry, offered);
    const grave = mustBeApproved(drifts);
    const isUnknown = !held.servers.has(entry.name);
    const manner = isUnknown ? unknown : onDrift;
    // Whether an unknown server may be started is for its configuration to say; there is nothing yet to lock.
    const waits = isUnknown && offered === undefined && manner !== 'block';
    if (manner === 'warn' || waits) return verdictOf(drifts, []);
    if (manner === 'block' || grave.length === 0) return verdictOf(drifts, grave);
    const granted = manner === 'trust-first' ? grave : await questions.put(entry.name, grave);
    if (granted.length === 0) return verdictOf(drifts, grave);
    await approve(granted);
    const left = await compare(held, entry, offered);
    return verdictOf(left, onDrift === 'warn' && held.servers.has(entry.name) ? [] : mustBeApproved(left));
  }

  return {
    get lock() {
      return held;
    },
    get unsaved() {
      return unsaved;
    },
    check: (entry, offered) => servers.take(entry.name, () => check(entry, offered)),
    approve,
  };
}

async function save(onApproved: GateOptions['onApproved'], drifts: readonly Drift[]): Promise<boolean> {
  try {
    await onApproved?.(drifts);
    return onApproved !== undefined;
  } catch {
    return false;
  }
}

function verdictOf(drifts: readonly Drift[], grave: readonly Drift[]): GateVerdict {
  return { ok: grave.length === 0, blocked: groups(grave), drifts };
}

function groups(drifts: readonly Drift[]): Blocked[] {
  const found = new Map<string, Drift[]>();
  for (const drift of drifts) {
    const key = `${drift.of} ${drift.name}`;
    found.set(key, [...(found.get(key) ?? []), drift]);
  }
  return [...found.values()].map(all => ({ kind: all[0]!.of, name: all[0]!.name, drifts: all }));
}

/** Puts each change to a person once: what was refused stays so, as long as it is the same. */
function createQuestions(ask: GateOptions['ask']) {
  const refused = new Map<string, Set<string>>();
  const asked = new Map<string, number>();
  return {
    async put(server: string, drifts: readonly Drift[]): Promise<readonly Drift[]> {
      const already = refused.get(server) ?? new Set();
      const open = drifts.filter(drift => drift.kind !== 'duplicate' && !already.has(keyOf(drift)));
      const count = asked.get(server) ?? 0;
      if (open.length === 0 || count >= MAX_QUESTIONS || ask === undefined) return [];
      asked.set(server, count + 1);
      const answer = await Promise.resolve(open)
        .then(ask)
        .catch(() => false as const);
      const granted = typeof answer === 'boolean' ? (answer ? open : []) : open.filter(each => answer.includes(each));
      const left = open.filter(drift => !granted.includes(drift)).map(keyOf);
      refused.set(server, new Set([...already, ...left]));
      return granted;
    },
  };
}

const keyOf = ({ found, ...drift }: Drift): string =>
  found?.about === undefined
    ? canonical(drift)
    : writeLock({ servers: new Map([[drift.server, found as LockedServer]]) });
