import {
  type Clock,
  checkArray,
  checkObject,
  checkString,
  checkValues,
  type PeriodicRun,
  requireArgument,
  runPeriodically,
  type StoredValue,
  TenonError,
  toRecordValues,
  type Values,
} from '@tenon/base';
import type { Audit } from './audit.js';
import { type AuditAnchor, isReplicaName, readAnchor } from './audit-anchor.js';

/** First part of the keys of anchors. */
const KEY_PREFIX = 'audit/anchor/';
/** Lifetime of an anchor after the last event of its replica, in milliseconds: 400 days. */
const ANCHOR_TTL = 400 * 24 * 60 * 60_000;
/** Maximum number of anchors of other replicas in one line. */
const MAX_ANCHORS = 200;

export interface AuditAnchorsOptions {
  readonly audit: Audit;
  readonly values: Values;
  readonly clock: Clock;
  /** Time between two anchors while there are events, in milliseconds. */
  readonly interval: number;
  readonly onError: (error: TenonError) => void;
}

/**
 * Stores the position of an audit log at intervals, and records the positions of the logs of other replicas. The logs
 * then prove each other, and no call waits for a store.
 */
export class AuditAnchors {
  readonly #options: AuditAnchorsOptions;
  readonly #replica: string;
  /** Last anchor of each replica that the log contains. */
  readonly #recorded = new Map<string, number>();
  #last: AuditAnchor | undefined;
  readonly #storing: PeriodicRun;

  constructor(replica: string, options: AuditAnchorsOptions) {
    this.#options = options;
    this.#replica = replica;
    const { clock, interval } = options;
    this.#storing = runPeriodically({ clock, interval, onError: error => this.#report(error) }, () =>
      this.#writeAnchor(),
    );
  }

  /** Stores the current position. Resolves also if that fails, and the next attempt follows after the interval. */
  storeAnchor(): Promise<void> {
    return this.#storing.runNow();
  }

  /** Stores the last position, and ends. */
  async close(): Promise<void> {
    await this.storeAnchor();
    await this.#storing.stop();
  }

  async #writeAnchor(): Promise<void> {
    const { audit, values } = this.#options;
    if (audit.head.seq === this.#last?.seq) return;
    const key = KEY_PREFIX + this.#replica;
    const stored = await values.get(key);
    this.#checkStored(stored);
    const others = (await readAuditAnchors(values)).filter(
      ({ replica, seq }) => replica !== this.#replica && this.#recorded.get(replica) !== seq,
    );
    const head = await audit.recordAnchors(others.slice(0, MAX_ANCHORS));
    for (const { replica, seq } of others.slice(0, MAX_ANCHORS)) this.#recorded.set(replica, seq);
    const anchor = { replica: this.#replica, ...head };
    const written = await values.put(key, anchor, { version: stored?.version ?? 0, ttl: ANCHOR_TTL });
    if (written === undefined) throw this.#stop('another process anchors a log under the same name');
    this.#last = anchor;
  }

  /** Stops if the anchor in the store belongs to another log, or to lines that the log no longer has. */
  #checkStored(stored: StoredValue | undefined): void {
    const anchor = stored && readAnchor(stored.value);
    if (anchor === undefined) return;
    const { head } = this.#options.audit;
    if (anchor.seq > head.seq) throw this.#stop(`the log ends before line number ${anchor.seq}, which is anchored`);
    if (anchor.seq === head.seq && anchor.hash !== head.hash) throw this.#stop('the log differs from its anchor');
  }

  /** Ends the anchors, so that the last one in the store remains as evidence. */
  #stop(summary: string): TenonError {
    void this.#storing.stop();
    const error = new TenonError('audit/not-anchored', `the audit log of the replica "${this.#replica}": ${summary}`, {
      hint: 'keep the log, run `tenon audit verify` with --store, and start a new log in another file',
    });
    this.#report(error);
    return error;
  }

  #report(error: unknown): void {
    this.#options.onError(TenonError.from(error, 'audit/not-anchored'));
  }
}

/** Reads the anchors of all replicas from their stores, for `verifyAuditFiles`. */
export async function readAuditAnchors(rawValues: Values): Promise<AuditAnchor[]> {
  requireArgument('`values` of readAuditAnchors', rawValues, checkValues);
  const values = toRecordValues(rawValues);
  const anchors: AuditAnchor[] = [];
  for (let after: string | undefined; ; ) {
    const page = await values.list(KEY_PREFIX, after === undefined ? {} : { after });
    requireArgument(
      'the result of `values.list` of readAuditAnchors',
      page,
      checkArray(checkObject({ key: checkString })),
    );
    for (const { key, value } of page) {
      const anchor = readAnchor(value);
      if (anchor?.replica === key.slice(KEY_PREFIX.length)) anchors.push(anchor);
    }
    after = page.at(-1)?.key;
    if (page.length === 0) return anchors;
  }
}

/** Creates the anchors of an audit log. Returns `undefined` for a log that has no name of its replica. */
export function createAuditAnchors(options: AuditAnchorsOptions): AuditAnchors | undefined {
  const { replica } = options.audit;
  return isReplicaName(replica) ? new AuditAnchors(replica, options) : undefined;
}
