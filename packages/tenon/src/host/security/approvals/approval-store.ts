import type { Clock } from '../../../cancellation/clock.js';
import { copyJson } from '../../../encoding/json-value.js';
import type { JsonObject } from '../../../jsonrpc/message.js';
import { type CallerIdentity, getOwnerKey } from '../../../protocol/caller-identity.js';
import type { ListOptions, Values } from '../../../stores/stores.js';
import { toTypedValues } from '../../../stores/typed-values.js';
import type { ActionRequest } from '../policy/action-request.js';
import { maskArguments } from '../policy/mask-arguments.js';
import { compileMatch } from '../policy/matching/compiled-rule.js';
import type { Match } from '../policy/rules.js';
import type { ApprovalBinding } from './approval-binding.js';
import type { ApprovalAnswer } from './decision.js';

const KEY_PREFIX = 'policy/remembered/';
/** Most approvals that are remembered for one user with one OAuth client at one server. */
const MAX_STORED = 256;

/** An approval for more than one call, bound to a user and an OAuth client. */
export interface StoredApproval extends Partial<CallerIdentity> {
  /** ID of the approval. */
  readonly id: string;
  /** Name of the server. */
  readonly server: string;
  /** Kind of action. */
  readonly kind: ActionRequest['kind'];
  /** The tool, prompt or URI. Absent when `match` defines the scope of the approval. */
  readonly name?: string | undefined;
  /** Digest of the arguments, for an approval of these arguments alone. */
  readonly digest?: string | undefined;
  /** Arguments to which the approval is limited. */
  readonly match?: Match | undefined;
  /** Milliseconds since the epoch, by the clock. */
  readonly rememberedAt: number;
  /** Absent: it does not expire. */
  readonly expiresAt?: number | undefined;
}

interface ApprovalRecord extends StoredApproval {
  readonly grounds: string;
}

export interface ApprovalStore {
  /** The id of an approval that applies to a call. */
  find(request: ActionRequest, binding: ApprovalBinding): Promise<string | undefined>;
  /** Adds an approval. Returns false if the store is full. */
  add(request: ActionRequest, binding: ApprovalBinding, answer: ApprovalAnswer): Promise<boolean>;
  list(options?: ListOptions): Promise<StoredApproval[]>;
  forget(id: string): Promise<boolean>;
}

/** Creates a store of approvals. `ttl` is the time that an approval without its own `ttl` is kept, in milliseconds. */
export function createApprovalStore(untypedValues: Values, clock: Clock, ttl: number): ApprovalStore {
  const values = toTypedValues<ApprovalRecord>(untypedValues);
  const isLive = ({ expiresAt = Number.POSITIVE_INFINITY }: StoredApproval) => clock.now() < expiresAt;
  const listOfOwner = async (owner: string): Promise<ApprovalRecord[]> => {
    const found = await values.list(`${KEY_PREFIX}${owner}.`, { limit: MAX_STORED });
    return found.map(({ value }) => value);
  };
  return {
    async find(proposal, binding) {
      const record = await listOfOwner(binding.owner);
      return record.find(each => isLive(each) && doesCover(each, proposal, binding))?.id;
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
      return found
        .map(({ value }) => value)
        .filter(isLive)
        .map(toStoredApproval);
    },
    forget: id => (isApprovalId(id) ? values.delete(KEY_PREFIX + id) : Promise.resolve(false)),
  };
}

function doesCover(record: ApprovalRecord, request: ActionRequest, binding: ApprovalBinding): boolean {
  if (record.server !== request.server || record.kind !== request.kind) return false;
  if (getOwnerKey(record) !== getOwnerKey(request) || record.grounds !== binding.grounds) return false;
  if (record.match) return compileMatch(record.match, true)(request) === undefined;
  return record.name === request.name && (record.digest === undefined || record.digest === binding.digest);
}

/** Patterns of secrets are as secret as these. */
function toStoredApproval({ grounds: _, match, ...rest }: ApprovalRecord): StoredApproval {
  if (match?.arguments === undefined) return { ...rest, ...(match ? { match } : {}) };
  const patterns = maskArguments(match.arguments as JsonObject) as NonNullable<Match['arguments']>;
  return { ...rest, match: { ...match, arguments: patterns } };
}

/** True for an approval id of this library. */
export function isApprovalId(id: string): boolean {
  return /^[\w-]{43}\.[\da-f-]{36}$/.test(id);
}
