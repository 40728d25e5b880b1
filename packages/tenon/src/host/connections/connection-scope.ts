import { getCallerKey, UNKNOWN_CALLER } from '../../jsonrpc/shared-limit.js';
import { type CallerIdentity, getOwnerKey, identifyCaller } from '../../protocol/caller-identity.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import { TASKS } from '../../protocol/tasks.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import type { ClientSession } from '../../server/request-context.js';
import type { RequesterInfo } from '../../server/server-backend.js';

/** Those for whom one line to a server may be used: who they are, and what they can be asked. */
export interface ConnectionScope {
  /** Equal for those who may share a line. */
  readonly key: string;
  readonly identity: CallerIdentity;
  /** The caller whose share of the connections to servers is used up. */
  readonly caller: string;
  /** Input that servers may request of the callers. */
  readonly input: SupportedInput;
  /** Servers may make tasks of calls. The host waits for those of callers that cannot follow them. */
  readonly tasks: boolean;
  /** The revision in which servers are best spoken with: what both ends of a crossing speak need not be turned into other words. */
  readonly preferredVersion: string | undefined;
  /** The one session that they are, where there is one. */
  readonly session: ClientSession | undefined;
}

/** The kinds of questions that can be answered. */
export interface SupportedInput {
  readonly form: boolean;
  readonly url: boolean;
  readonly sample: boolean;
  readonly sampleTools: boolean;
  readonly roots: boolean;
}

const NO_INPUT: SupportedInput = { form: false, url: false, sample: false, sampleTools: false, roots: false };

const sessions = new WeakMap<ClientSession, string>();
let count = 0;

/**
 * A session is an audience of its own. Callers without one are one audience when they are the same user with the same OAuth client and can be
 * asked the same; where nobody authorizes, all are the same.
 */
export function createConnectionScope(
  { caller, dialect, session: ownSession, originSession }: RequesterInfo,
  waitForTasks = true,
): ConnectionScope {
  const session = ownSession ?? originSession;
  const input = getSupportedInput(caller.capabilities);
  const identity = identifyCaller(caller.auth);
  const sessionPart = session === undefined ? 'all' : getSessionKey(session);
  const tasks = waitForTasks || !lacksTaskExtension(caller.capabilities, dialect);
  const flags = [...Object.values(input), tasks].map(Number).join('');
  const { protocolVersion, opening } = dialect;
  const preferredVersion = opening === 'handshake' ? protocolVersion : undefined;
  return {
    key: JSON.stringify([getOwnerKey(identity) ?? null, sessionPart, protocolVersion, flags]),
    identity,
    // Anonymous callers without a session share one connection, which belongs to none of them.
    caller: getCallerKey(caller.auth, session === undefined ? undefined : caller.address),
    input,
    tasks,
    preferredVersion,
    session,
  };
}

/** Callers of a version with the extension can declare it. Those of other versions cannot say that they follow no tasks. */
function lacksTaskExtension({ extensions }: ClientCapabilities, dialect: Dialect): boolean {
  return dialect.tasks === 'by-extension' && extensions?.[TASKS] === undefined;
}

/** Checks that servers can ask callers nothing, so that no answer depends on the session that a call comes from. */
export function hasNoInput({ input }: ConnectionScope): boolean {
  return !Object.values(input).includes(true);
}

/**
 * Describes all callers of the same user and OAuth client together, in any session and any version: nothing is asked of them.
 * Two users are never described together, because a server may keep what it was told.
 */
export function joinSessions({ identity, caller, tasks }: ConnectionScope): ConnectionScope {
  return {
    key: JSON.stringify([getOwnerKey(identity) ?? null, 'shared', tasks]),
    identity,
    caller: identity.principal === undefined ? UNKNOWN_CALLER : caller,
    input: NO_INPUT,
    tasks,
    preferredVersion: undefined,
    session: undefined,
  };
}

function getSessionKey(session: ClientSession): string {
  const known = sessions.get(session);
  if (known !== undefined) return known;
  count += 1;
  sessions.set(session, `session ${count}`);
  return `session ${count}`;
}

function getSupportedInput({ elicitation, sampling, roots }: ClientCapabilities): SupportedInput {
  const url = elicitation?.url !== undefined;
  return {
    form: elicitation !== undefined && (elicitation.form !== undefined || !url),
    url,
    sample: sampling !== undefined,
    sampleTools: sampling?.tools !== undefined,
    roots: roots !== undefined,
  };
}
