import { getCallerKey, UNKNOWN_CALLER } from '../jsonrpc/caller-key.js';
import type { Dialect } from '../dialects/dialect.js';
import type { ClientCapabilities } from '../model/capabilities.js';
import { type CallerIdentity, getOwnerKey, identify } from '../model/owner.js';
import { TASKS } from '../model/tasks.js';
import type { Whom } from '../server/front.js';
import type { Session } from '../server/turn.js';

/** Those for whom one line to a server may be used: who they are, and what they can be asked. */
export interface Audience {
  /** Equal for those who may share a line. */
  readonly key: string;
  readonly identity: CallerIdentity;
  /** The caller whose share of the connections to servers is used up. */
  readonly caller: string;
  /** What servers may ask of them. */
  readonly asks: Asks;
  /** Servers may make tasks of calls. The host waits for those of callers that can not follow them. */
  readonly tasks: boolean;
  /** The revision in which servers are best spoken with: what both ends of a crossing speak need not be turned into other words. */
  readonly prefers: string | undefined;
  /** The one session that they are, where there is one. */
  readonly session: Session | undefined;
}

/** The kinds of questions that can be answered. */
export interface Asks {
  readonly form: boolean;
  readonly url: boolean;
  readonly sample: boolean;
  readonly sampleTools: boolean;
  readonly roots: boolean;
}

const ASKS_NOTHING: Asks = { form: false, url: false, sample: false, sampleTools: false, roots: false };

const sessions = new WeakMap<Session, string>();
let count = 0;

/**
 * A session is an audience of its own. Callers without one are one audience when they are the same user with the same OAuth client and can be
 * asked the same; where nobody authorizes, all are the same.
 */
export function audienceOf({ caller, dialect, session: own, begunIn }: Whom, waitForTasks = true): Audience {
  const session = own ?? begunIn;
  const asks = asksOf(caller.capabilities);
  const identity = identify(caller.auth);
  const whom = session === undefined ? 'all' : sessionKey(session);
  const tasks = waitForTasks || !declinesTasks(caller.capabilities, dialect);
  const flags = [...Object.values(asks), tasks].map(Number).join('');
  const { revision, opening } = dialect;
  const prefers = opening === 'handshake' ? revision : undefined;
  return {
    key: JSON.stringify([getOwnerKey(identity) ?? null, whom, revision, flags]),
    identity,
    // Anonymous callers without a session share one connection, which belongs to none of them.
    caller: getCallerKey(caller.auth, session === undefined ? undefined : caller.address),
    asks,
    tasks,
    prefers,
    session,
  };
}

/** Callers of a version with the extension can declare it. Those of other versions cannot say that they follow no tasks. */
function declinesTasks({ extensions }: ClientCapabilities, dialect: Dialect): boolean {
  return dialect.tasks === 'by-extension' && extensions?.[TASKS] === undefined;
}

/** Checks that servers can ask callers nothing, so that no answer depends on the session that a call comes from. */
export function asksNothing({ asks }: Audience): boolean {
  return !Object.values(asks).includes(true);
}

/**
 * Describes all callers of the same user and OAuth client together, in any session and any version: nothing is asked of them.
 * Two users are never described together, because a server may keep what it was told.
 */
export function joinSessions({ identity, caller, tasks }: Audience): Audience {
  return {
    key: JSON.stringify([getOwnerKey(identity) ?? null, 'shared', tasks]),
    identity,
    caller: identity.principal === undefined ? UNKNOWN_CALLER : caller,
    asks: ASKS_NOTHING,
    tasks,
    prefers: undefined,
    session: undefined,
  };
}

function sessionKey(session: Session): string {
  const known = sessions.get(session);
  if (known !== undefined) return known;
  count += 1;
  sessions.set(session, `session ${count}`);
  return `session ${count}`;
}

function asksOf({ elicitation, sampling, roots }: ClientCapabilities): Asks {
  const url = elicitation?.url !== undefined;
  return {
    form: elicitation !== undefined && (elicitation.form !== undefined || !url),
    url,
    sample: sampling !== undefined,
    sampleTools: sampling?.tools !== undefined,
    roots: roots !== undefined,
  };
}
