import { checkArray, checkObject, checkOptional, checkString, requireArgument, requireKnownOptions } from '@tenon/base';
import type { AuditAnchor } from '../../../security/audit/audit-anchor.js';
import type { AuditVerifyOptions } from '../../../security/audit/verify-audit.js';
import { type AuditFileVerification, verifyAuditFile } from './read-audit-file.js';

/** Options of `verifyAuditFiles`. */
export interface AuditFilesOptions extends Pick<AuditVerifyOptions, 'key'> {
  /**
   * Anchors of all replicas, from `readAuditAnchors`. A log that an anchor names is then required.
   * @default those in the logs, and a log that is not given is only reported in `unshown`
   */
  readonly anchors?: readonly AuditAnchor[] | undefined;
}

/** Result of `verifyAuditFiles`. */
export interface AuditFilesVerification {
  /** True if all logs are intact, and none is missing. */
  readonly ok: boolean;
  /** Result for each log, in the order of the paths. */
  readonly logs: readonly AuditFileVerification[];
  /** Last known position of each log that was not given. */
  readonly missing: readonly AuditAnchor[];
}

/**
 * Verifies the audit logs of several replicas together. Each log must contain all positions that the anchors and the
 * other logs name.
 * @throws TenonError `audit/none`, `audit/failed` or `audit/weak-key`.
 */
export async function verifyAuditFiles(
  paths: readonly string[],
  options: AuditFilesOptions = {},
): Promise<AuditFilesVerification> {
  requireArgument('`paths` of verifyAuditFiles', paths, checkArray(checkString));
  requireKnownOptions('verifyAuditFiles', options, { anchors: true, key: true });
  const { key, anchors } = options;
  requireArgument('`anchors` of verifyAuditFiles', anchors, checkOptional(checkArray(checkObject())));
  const positions = new Positions();
  for (const anchor of anchors ?? []) positions.add(anchor);
  const first = [];
  for (const path of paths) first.push(await verifyAuditFile(path, { key, onAnchor: each => positions.add(each) }));
  const logs: AuditFileVerification[] = [];
  for (const [index, path] of paths.entries()) {
    const known = first[index] as AuditFileVerification;
    const through = known.replica === undefined ? [] : positions.list(known.replica);
    logs.push(known.ok && through.length > 0 ? await verifyAuditFile(path, { key, through }) : known);
  }
  const given = new Set(logs.map(({ replica }) => replica));
  const missing = positions.listLast().filter(({ replica }) => !given.has(replica));
  return { ok: logs.every(({ ok }) => ok) && (anchors === undefined || missing.length === 0), logs, missing };
}

/** Positions in the logs of replicas. */
class Positions {
  readonly #byReplica = new Map<string, Map<string, AuditAnchor>>();

  add(anchor: AuditAnchor): void {
    const all = this.#byReplica.get(anchor.replica) ?? new Map<string, AuditAnchor>();
    this.#byReplica.set(anchor.replica, all.set(`${anchor.seq} ${anchor.hash}`, anchor));
  }

  list(replica: string): AuditAnchor[] {
    return [...(this.#byReplica.get(replica)?.values() ?? [])];
  }

  /** Returns the last position in the log of each replica. */
  listLast(): AuditAnchor[] {
    return [...this.#byReplica.values()].map(all =>
      [...all.values()].reduce((last, each) => (each.seq > last.seq ? each : last)),
    );
  }
}
