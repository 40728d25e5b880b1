import {
  type CallerIdentity,
  type Clock,
  copyJson,
  getOwnerKey,
  type JsonObject,
  type ListOptions,
  toTypedValues,
  type Values,
} from '@tenon/base';
import type { ActionRequest } from '../policy/action-request.js';
import { maskArguments } from '../policy/mask-arguments.js';
import { compileMatch } from '../policy/matching/compiled-rule.js';
import { limitMatchWork } from '../policy/matching/match-work.js';
import type { Match } from '../policy/rules.js';
import type { ApprovalBinding } from './approval-binding.js';
import type { ApprovalAnswer } from './decision.js';

const KEY_PREFIX = 'policy/remembered/';
/** Maximum number of stored approvals of one user with one OAuth client at one server. */
const MAX_STORED = 256;

/** Approval for more than one call, bound to a user and an OAuth client. */
export interface StoredApproval extends Partial<CallerIdentity> {
  /** ID of the approval. */
  readonly id: string;
  /** Name of the server. */
  readonly server: string;
  /** Kind of action. */
  readonly kind: ActionRequest['kind'];
  /** Name of the tool or prompt, or URI of the resource. Absent when `match` defines the scope of the approval. */
  readonly name?: string | undefined;
  /** Digest of the arguments, for an approval of exactly these arguments. */
  readonly digest?: string | undefined;
  /** Arguments to which the approval is limited. */
  readonly match?: Match | undefined;
  /** Time of the approval, in milliseconds since the epoch. */
  readonly rememberedAt: number;
  /** Expiry, in milliseconds since the epoch. Absent if the approval does not expire. */
  readonly expiresAt?: number | undefined;
}

interface ApprovalRecord extends StoredApproval {
  readonly grounds: string;
}

export interface ApprovalStore {
  /** Finds an approval that applies to a call, and returns its ID. */
  find(request: ActionRequest, binding: ApprovalBinding): Promise<string | undefined>;
  /** Adds an approval. Returns false if the store is full. */
  add(request: ActionRequest, binding: ApprovalBinding, answer: ApprovalAnswer): Promise<boolean>;
  list(options?: ListOptions): Promise<StoredApproval[]>;
  forget(id: string): Promise<boolean>;
}

/**
 * Creates a store for approvals. They expire by the clock of the store.
 *
 * @param ttl Lifetime of an approval without its own `ttl`, in milliseconds.
 */
export function createApprovalStore(untypedValues: Values, clock: Clock, ttl: number): ApprovalStore {
  const values = toTypedValues<ApprovalRecord>(untypedValues);
  const listOfOwner = async (owner: string): Promise<ApprovalRecord[]> => {
    const found = await values.list(`${KEY_PREFIX}${owner}.`, { limit: MAX_STORED });
    return found.map(({ value }) => value);
  };
  return {
    async find(proposal, binding) {
      const record = await listOfOwner(binding.owner);
      return record.find(each => doesCover(each, proposal, binding))?.id;
    },
    async add(
      { server, kind, name, principal, issuer, clientId },
      { owner, digest, grounds },
      { remember, ttl: own = ttl },
    ) {
      if ((await listOfOwner(owner)).length >= MAX_STORED) return false;
      const id = `${owner}.${crypto.randomUUID()}`;
      const now = clock.now();
      const what =
        typeof remember === 'object'
          ? { match: copyJson(remember) }
          : { name, ...(remember === 'exact' ? { digest } : {}) };
      const expiresAtTime = Number.isFinite(own);
      const record: ApprovalRecord = {
        id,
        server,
        kind,
        ...(principal === undefined ? {} : { principal }),
        ...(issuer === undefined ? {} : { issuer }),
        ...(clientId === undefined ? {} : { clientId }),
        ...what,
        grounds,
        rememberedAt: now,
        ...(expiresAtTime ? { expiresAt: now + own } : {}),
      };
      await values.put(KEY_PREFIX + id, record, expiresAtTime ? { version: 0, ttl: own } : { version: 0 });
      return true;
    },
    async list({ after, limit } = {}) {
      const found = await values.list(KEY_PREFIX, {
        limit,
        ...(after === undefined ? {} : { after: KEY_PREFIX + after }),
      });
      return found.map(({ value }) => toStoredApproval(value));
    },
    forget: id => (isApprovalId(id) ? values.delete(KEY_PREFIX + id) : Promise.resolve(false)),
  };
}

function doesCover(record: ApprovalRecord, request: ActionRequest, binding: ApprovalBinding): boolean {
  if (record.server !== request.server || record.kind !== request.kind) return false;
  if (getOwnerKey(record) !== getOwnerKey(request) || record.grounds !== binding.grounds) return false;
  const { match } = record;
  if (match)
    return limitMatchWork(
      () => compileMatch(match, true)(request) === undefined,
      () => false,
    );
  return record.name === request.name && (record.digest === undefined || record.digest === binding.digest);
}

/** Converts a record for display. Masks patterns, because they may contain secrets. */
function toStoredApproval({ grounds: _, match, ...rest }: ApprovalRecord): StoredApproval {
  if (match?.arguments === undefined) return { ...rest, ...(match ? { match } : {}) };
  const patterns = maskArguments(match.arguments as JsonObject) as NonNullable<Match['arguments']>;
  return { ...rest, match: { ...match, arguments: patterns } };
}

/** Tells if an ID belongs to an approval of this library. */
export function isApprovalId(id: string): boolean {
  return /^[\w-]{43}\.[\da-f-]{36}$/.test(id);
}
