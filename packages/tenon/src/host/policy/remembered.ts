import { copyOf } from '../../conversation/asking/json-value.js';
import type { Clock } from '../../jsonrpc/clock.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { type CallerIdentity, getOwnerKey } from '../../model/owner.js';
import type { ListOptions, Values } from '../../stores/stores.js';
import type { Binding } from './binding.js';
import { compileMatch } from './compiled-rule.js';
import type { Answer } from './decision.js';
import { masked } from './masked.js';
import type { Proposal } from './proposal.js';
import type { Match } from './rules.js';

const KEYS = 'policy/remembered/';
/** Most approvals that are remembered for one user with one OAuth client at one server. */
const MAX_REMEMBERED = 256;

/** An approval that is good for more than one call, of the user and OAuth client that it names. */
export interface Remembered extends Partial<CallerIdentity> {
  readonly id: string;
  readonly server: string;
  readonly kind: Proposal['kind'];
  /** The tool, prompt or URI; absent when a match says what it is good for. */
  readonly name?: string | undefined;
  /** Of the arguments that it is good for, where it is for no others. */
  readonly digest?: string | undefined;
  readonly match?: Match | undefined;
  /** Milliseconds since the epoch, by the clock. */
  readonly rememberedAt: number;
  /** Absent: it does not expire. */
  readonly expiresAt?: number | undefined;
}

interface Kept extends Remembered {
  readonly grounds: string;
}

export interface Memory {
  /** The id of one that is good for a call. */
  find(proposal: Proposal, binding: Binding): Promise<string | undefined>;
  /** Whether there was room for it. */
  add(about: Proposal, binding: Binding, answer: Answer): Promise<boolean>;
  list(options?: ListOptions): Promise<Remembered[]>;
  forget(id: string): Promise<boolean>;
}

/** `life`: for how long what nobody says a time for is remembered, in milliseconds. */
export function createMemory(values: Values, clock: Clock, life: number): Memory {
  const isLive = ({ expiresAt = Number.POSITIVE_INFINITY }: Remembered) => clock.now() < expiresAt;
  const ofOwner = async (owner: string): Promise<Kept[]> => {
    const found = await values.list(`${KEYS}${owner}.`, { limit: MAX_REMEMBERED });
    return found.map(({ value }) => value as unknown as Kept);
  };
  return {
    async find(proposal, binding) {
      const kept = await ofOwner(binding.owner);
      return kept.find(each => isLive(each) && isGoodFor(each, proposal, binding))?.id;
    },
    async add(
      { server, kind, name, principal, issuer, clientId },
      { owner, digest, grounds },
      { remember, for: own = life },
    ) {
      if ((await ofOwner(owner)).length >= MAX_REMEMBERED) return false;
      const id = `${owner}.${crypto.randomUUID()}`;
      const now = clock.now();
      const what =
        typeof remember === 'object'
          ? { match: copyOf(remember) }
          : { name, ...(remember === 'exact' ? { digest } : {}) };
      const ends = Number.isFinite(own);
      const kept: Kept = {
        id,
        server,
        kind,
        ...(principal === undefined ? {} : { principal }),
        ...(issuer === undefined ? {} : { issuer }),
        ...(clientId === undefined ? {} : { clientId }),
        ...what,
        grounds,
        rememberedAt: now,
        ...(ends ? { expiresAt: now + own } : {}),
      };
      await values.put(KEYS + id, kept as unknown as JsonObject, ends ? { version: 0, ttl: own } : { version: 0 });
      return true;
    },
    async list({ after, limit } = {}) {
      const found = await values.list(KEYS, { limit, ...(after === undefined ? {} : { after: KEYS + after }) });
      return found
        .map(({ value }) => value as unknown as Kept)
        .filter(isLive)
        .map(shown);
    },
    forget: id => (isId(id) ? values.delete(KEYS + id) : Promise.resolve(false)),
  };
}

function isGoodFor(kept: Kept, proposal: Proposal, binding: Binding): boolean {
  if (kept.server !== proposal.server || kept.kind !== proposal.kind) return false;
  if (getOwnerKey(kept) !== getOwnerKey(proposal) || kept.grounds !== binding.grounds) return false;
  if (kept.match) return compileMatch(kept.match, true)(proposal) === undefined;
  return kept.name === proposal.name && (kept.digest === undefined || kept.digest === binding.digest);
}

/** Patterns of secrets are as secret as these. */
function shown({ grounds: _, match, ...rest }: Kept): Remembered {
  if (match?.arguments === undefined) return { ...rest, ...(match ? { match } : {}) };
  const patterns = masked(match.arguments as JsonObject) as NonNullable<Match['arguments']>;
  return { ...rest, match: { ...match, arguments: patterns } };
}

/** What ids look like that are made here. */
export function isId(id: string): boolean {
  return /^[\w-]{43}\.[\da-f-]{36}$/.test(id);
}
