import { getCallerKey, UNKNOWN_CALLER } from '../../jsonrpc/shared-limit.js';
import { type CallerIdentity, getOwnerKey, identifyCaller } from '../../protocol/caller-identity.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import { TASKS } from '../../protocol/tasks.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import type { ClientSession } from '../../server/request-context.js';
import type { RequesterInfo } from '../../server/server-backend.js';

/** The callers that may share one connection to a server: their identity, and the input requests that they support. */
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
  /** The preferred protocol version for servers. A version that caller and server share needs no translation. */
  readonly preferredVersion: string | undefined;
  /** The one session that they are, where there is one. */
  readonly session: ClientSession | undefined;
}

/** The kinds of input requests that can be answered. */
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
 * A session has a scope of its own. Callers without a session share one scope if they are the same user with the same
 * OAuth client and support the same input requests. Without authorization all such callers are the same user.
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

/**
 * Callers of a version with the extension can declare it. Those of other versions cannot declare that they do not
 * follow tasks.
 */
function lacksTaskExtension({ extensions }: ClientCapabilities, dialect: Dialect): boolean {
  return dialect.tasks === 'by-extension' && extensions?.[TASKS] === undefined;
}

/** Checks that servers cannot request input from callers, so that no result depends on the session of a call. */
export function hasNoInput({ input }: ConnectionScope): boolean {
  return !Object.values(input).includes(true);
}

/**
 * Describes all callers of the same user and OAuth client together, over all sessions and versions: they get no input
 * requests. Two users are never combined, because a server may store what one of them sent.
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
