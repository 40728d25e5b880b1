import { createHash } from 'node:crypto';
import { stringifyJson } from '@tenon/base';
import type { DriftView, LockView } from '@tenon/console/api';
import {
  type Audit,
  type AuditEvent,
  acceptDrift,
  compareWithLock,
  type Drift,
  describeDrift,
  type Host,
  type LockGuard,
  openLockFile,
  type ServerEntry,
  type ServerInventory,
} from '@tenon/host';
import { TenonError } from 'tenon';
import { isApprovalNeeded, shortenReason } from '../../host/host-reports.js';
import { listFailures } from '../../host/update-lock.js';
import { createUsageError } from '../../usage-error.js';
import { createErrorView } from '../console-calls.js';

/** Maximum number of changes that the page gets. */
const MAX_SHOWN = 200;

/** The lock of a gateway, for its console. */
export interface LockParts {
  readonly host: Pick<Host, 'inventory' | 'reload'>;
  /** Path of the lock file, and the guard that applies it. Absent for a gateway without a lock. */
  readonly lock?: { readonly file: string; readonly guard: LockGuard } | undefined;
  readonly getEntries: () => readonly ServerEntry[];
  /** Audit log, which gets each accepted change. Absent for a gateway without one. */
  readonly audit?: Pick<Audit, 'write'> | undefined;
}

/** Compares the servers of a gateway with its lock, and accepts changes one by one. */
export class GatewayLock {
  readonly #parts: LockParts;

  constructor(parts: LockParts) {
    this.#parts = parts;
  }

  /** Reads the definitions of all servers, and returns their changes, those to be approved first. */
  async read(): Promise<LockView> {
    const { lock } = this.#parts;
    if (lock === undefined) return { file: null, count: 0, drifts: [], unavailable: [], error: null };
    const { file } = lock;
    try {
      const { drifts, unavailable } = await this.#compare(lock.guard);
      const sorted = [...drifts.filter(isApprovalNeeded), ...drifts.filter(drift => !isApprovalNeeded(drift))];
      const shown = sorted.slice(0, MAX_SHOWN).map(toDriftView);
      return { file, count: drifts.length, drifts: shown, unavailable, error: null };
    } catch (thrown) {
      const error = createErrorView(TenonError.from(thrown));
      return { file, count: 0, drifts: [], unavailable: [], error };
    }
  }

  /**
   * Writes changes into the lock and into the audit log, and offers the changed definitions again. Returns the accepted
   * changes.
   *
   * @param principal User who accepts them.
   * @throws TenonError `console/changed` if a server has changed again since the page read it, `audit/…` if the audit log
   * cannot be written. Nothing is accepted then.
   */
  async accept(ids: unknown, principal: string): Promise<readonly Drift[]> {
    const { lock, host, audit } = this.#parts;
    if (lock === undefined) throw createUsageError('the gateway has no lock', 'run `tenon lock`, and start it again');
    if (!Array.isArray(ids)) throw createUsageError('ids: expected a list of texts', 'reload the page');
    const { drifts } = await this.#compare(lock.guard);
    const accepted = ids.map(id => {
      const found = drifts.find(drift => isAcceptable(drift) && getId(drift) === id);
      if (found) return found;
      throw new TenonError('console/changed', 'the server has changed again since the page was read', {
        hint: 'read the changes again, and accept them as they are now',
      });
    });
    for (const drift of accepted) await audit?.write(createAcceptedEvent(drift, principal));
    // Before the guard, which goes on also if the file cannot be written.
    await openLockFile(lock.file).update(held => acceptDrift(held, accepted));
    await lock.guard.approve(accepted);
    host.reload();
    return accepted;
  }

  async #compare({ lock }: LockGuard) {
    const { host, getEntries } = this.#parts;
    const { inventories, unavailable } = await host.inventory();
    const byName = new Map<string, ServerInventory>(inventories.map(each => [each.server, each]));
    const drifts: Drift[] = [];
    for (const entry of getEntries()) drifts.push(...(await compareWithLock(lock, entry, byName.get(entry.name))));
    return {
      drifts,
      unavailable: [
        ...unavailable.map(({ server, reason }) => ({ server, reason: shortenReason(reason) })),
        ...listFailures(inventories).map(({ server, list, reason }) => ({
          server,
          reason: `its ${list} cannot be read: ${shortenReason(reason)}`,
        })),
      ],
    };
  }
}

/** With duplicate names it is unknown which definition a call reaches. A server that never ran has no definitions. */
const isAcceptable = ({ kind, found }: Drift): boolean =>
  kind !== 'duplicate' && (kind !== 'unknown server' || found?.serverInfo !== undefined);

/** Kinds of definitions that have a name of their own in the audit log. */
const AUDIT_KINDS = ['tool', 'resource', 'prompt', 'server'] as const;

/** Creates the entry of the audit log for a change that a user has accepted. */
function createAcceptedEvent({ server, of, name, kind, member }: Drift, principal: string): AuditEvent {
  const known = AUDIT_KINDS.find(each => each === of);
  return {
    action: 'approved',
    principal,
    server,
    ...(known ? { kind: known } : {}),
    name,
    reason: `${kind} accepted in the console`,
    details: { of, ...(member === undefined ? {} : { member }) },
  };
}

/** Describes a change, as `tenon lock` prints it. */
export function toDriftView(drift: Drift): DriftView {
  const { server, of, name, kind, severity } = drift;
  const [title = '', ...lines] = describeDrift([drift]).split('\n');
  return {
    id: getId(drift),
    ...{ server, of, name, kind, severity },
    title,
    lines: lines.map(line => line.slice(2)),
    isAcceptable: isAcceptable(drift),
  };
}

/** Identifies a change with its old and new value, so that only what was shown is accepted. */
const getId = ({ found, ...drift }: Drift): string =>
  createHash('sha256')
    .update(stringifyJson({ ...drift, found: found && describeDrift([{ ...drift, found }]) }))
    .digest('base64url');
