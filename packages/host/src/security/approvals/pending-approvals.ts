import {
  type CallerIdentity,
  type Clock,
  getOwnerKey,
  type JsonObject,
  type ListOptions,
  type Optional,
  type Stores,
  TenonError,
  toRecordValues,
  toTypedValues,
  type Values,
} from '@tenon/base';
import type { ActionRequest, PolicyVerdict } from '../policy/action-request.js';
import { maskArguments } from '../policy/mask-arguments.js';
import type { ApprovalBinding } from './approval-binding.js';
import { isApprovalId } from './approval-store.js';
import { createChangeSignal } from './change-signal.js';
import type { ApprovalAnswer } from './decision.js';

const KEY_PREFIX = 'policy/question/';
const RESERVED_PREFIX = 'policy/reserved/';
const REQUESTED_TOPIC = 'policy/asked';
const ANSWERED_TOPIC_PREFIX = 'policy/answered/';

/** Interval between polls of the store, in milliseconds. It is needed because notifications may be lost. */
const POLL_INTERVAL = 5000;
/**
 * Time for which a decision is reserved for its waiting caller, in milliseconds. Afterwards, another request for the
 * same call may use it.
 */
const ANSWER_GRACE = 2 * POLL_INTERVAL;

/** Pending approval request. Secrets in its arguments are masked. */
export interface PendingApproval extends Partial<CallerIdentity> {
  /** ID with which the request is answered. */
  readonly id: string;
  /** Kind of action. */
  readonly kind: ActionRequest['kind'];
  /** Name of the server. */
  readonly server: string;
  /** Name of the tool, prompt or resource. */
  readonly name: string;
  /** Arguments with masked secrets. */
  readonly arguments: JsonObject;
  /** SHA-256 of the unmasked arguments. */
  readonly digest: string;
  /** Reason why an approval is required. */
  readonly reason?: string | undefined;
  /** Time of the request, in milliseconds since the epoch. */
  readonly askedAt: number;
  /** Time at which the action is denied without a decision, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface StoredAnswer extends ApprovalAnswer {
  readonly by?: string | undefined;
}

interface PendingRecord {
  readonly question: PendingApproval;
  readonly binding: ApprovalBinding;
  readonly answer?: StoredAnswer;
}

export interface PendingLimits {
  readonly maxTotal: number;
  readonly maxPerUser: number;
}

/**
 * Pending approval requests in a store, which other processes can read. The store ends their time, because the clocks
 * of the processes may differ.
 */
export class PendingApprovals {
  readonly #values: Values<PendingRecord>;
  /** Decisions that only the waiting caller may take. */
  readonly #reservations: Values;
  readonly #bus: Stores['bus'] | undefined;
  readonly #clock: Clock;
  readonly #limits: PendingLimits;

  constructor(stores: Pick<Stores, 'values'> & Optional<Pick<Stores, 'bus'>>, clock: Clock, limits: PendingLimits) {
    this.#values = toTypedValues(stores.values);
    this.#reservations = toRecordValues(stores.values);
    this.#bus = stores.bus;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Tells if the maximum number of pending requests is reached, in total or for this user and OAuth client. */
  async isFull(identity: CallerIdentity): Promise<boolean> {
    const all = await this.list({ limit: this.#limits.maxTotal });
    const owner = getOwnerKey(identity);
    const own = all.filter(each => getOwnerKey(each) === owner);
    return all.length >= this.#limits.maxTotal || own.length >= this.#limits.maxPerUser;
  }

  async list({ after, limit }: ListOptions = {}): Promise<PendingApproval[]> {
    const options = { limit, ...(after === undefined ? {} : { after: KEY_PREFIX + after }) };
    const found = await this.#values.list(KEY_PREFIX, options);
    return found.flatMap(({ value: { question: approval, answer } }) => (answer === undefined ? [approval] : []));
  }

  /**
   * Answers a pending request. Only the first answer counts. It is valid for the time that the request had.
   * @throws TenonError `policy/no-pending-approval` when the request does not exist any more, `policy/answered` when it
   * was answered before.
   */
  async answer(id: string, createAnswer: (approval: PendingApproval) => StoredAnswer): Promise<PendingRecord> {
    for (;;) {
      const stored = isApprovalId(id) ? await this.#values.get(KEY_PREFIX + id) : undefined;
      if (!stored) throw createNoPendingError();
      const record = stored.value;
      if (record.answer)
        throw new TenonError('policy/answered', 'the approval request is already answered', {
          hint: 'list the open requests with `listPending`',
        });
      const { question: approval } = record;
      const next = { ...record, answer: createAnswer(approval) };
      await this.#reservations.put(RESERVED_PREFIX + id, {}, { ttl: ANSWER_GRACE });
      const put = { version: stored.version, ttl: approval.expiresAt - approval.askedAt };
      if (await this.#values.put(stored.key, next, put)) return next;
    }
  }

  /** Notifies the caller that waits for the decision. */
  async announceAnswer(id: string): Promise<void> {
    await this.#bus?.publish(ANSWERED_TOPIC_PREFIX + id, {});
  }

  /** Calls a listener for each new approval request. */
  watch(listener: () => void): () => void {
    return this.#bus?.subscribe(REQUESTED_TOPIC, listener) ?? (() => {});
  }

  /**
   * Takes the decision of the request `own`, or a decision for the same call whose caller has disconnected. Deletes the
   * decision, because it is valid once.
   */
  async take(binding: ApprovalBinding, own?: string): Promise<StoredAnswer | undefined> {
    for (const stored of await this.#values.list(`${KEY_PREFIX}${binding.call}.`)) {
      const { question: approval, answer } = stored.value;
      if (answer === undefined) continue;
      if (approval.id !== own && (await this.#reservations.get(RESERVED_PREFIX + approval.id))) continue;
      if (await this.#values.delete(stored.key, stored.version)) return answer;
    }
    return undefined;
  }

  /**
   * Stores an approval request and waits for the decision. Deletes the request when the caller disconnects or the time
   * is over.
   */
  async wait(
    request: ActionRequest,
    binding: ApprovalBinding,
    options: { readonly ttl: number; readonly signal: AbortSignal; readonly verdict: PolicyVerdict | undefined },
  ): Promise<StoredAnswer | 'late' | 'gone'> {
    const { ttl, signal, verdict } = options;
    const approval = this.#createPendingApproval(request, binding, ttl, verdict);
    const changes = createChangeSignal(this.#clock);
    const stop = this.#bus?.subscribe(ANSWERED_TOPIC_PREFIX + approval.id, changes.notify);
    signal.addEventListener('abort', changes.notify);
    try {
      for (;;) {
        if (signal.aborted) return 'gone';
        if (this.#clock.now() >= approval.expiresAt) return 'late';
        const answer = await this.#findAnswer(approval, binding);
        if (answer) return answer;
        await changes.wait(Math.max(0, Math.min(POLL_INTERVAL, approval.expiresAt - this.#clock.now())));
      }
    } finally {
      changes.stop();
      stop?.();
      signal.removeEventListener('abort', changes.notify);
      await Promise.all([
        this.#values.delete(KEY_PREFIX + approval.id),
        this.#reservations.delete(RESERVED_PREFIX + approval.id),
      ]);
    }
  }

  /**
   * Takes the decision if there is one, else stores the request. Stores it again after another caller has taken the
   * decision.
   */
  async #findAnswer(approval: PendingApproval, binding: ApprovalBinding): Promise<StoredAnswer | undefined> {
    const answer = await this.take(binding, approval.id);
    if (answer) return answer;
    const record: PendingRecord = { question: approval, binding };
    const ttl = approval.expiresAt - this.#clock.now();
    const put = { version: 0, ttl };
    const stored = await this.#values.put(KEY_PREFIX + approval.id, record, put);
    if (stored) await this.#bus?.publish(REQUESTED_TOPIC, {});
    return undefined;
  }

  #createPendingApproval(
    request: ActionRequest,
    binding: ApprovalBinding,
    ttl: number,
    verdict: PolicyVerdict | undefined,
  ): PendingApproval {
    const { kind, server, name, principal, issuer, clientId } = request;
    const now = this.#clock.now();
    return {
      id: `${binding.call}.${crypto.randomUUID()}`,
      kind,
      server,
      name,
      arguments: maskArguments(request.arguments),
      digest: binding.digest,
      ...(principal === undefined ? {} : { principal }),
      ...(issuer === undefined ? {} : { issuer }),
      ...(clientId === undefined ? {} : { clientId }),
      ...(verdict === undefined ? {} : { reason: verdict.reason }),
      askedAt: now,
      expiresAt: now + ttl,
    };
  }
}

function createNoPendingError(): TenonError {
  const hint = 'call `listPending()` for the pending requests';
  return new TenonError('policy/no-pending-approval', 'approval request not found or expired', {
    hint,
  });
}
