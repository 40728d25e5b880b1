import {
  type CallerIdentity,
  getCallerKey,
  getOwnerKey,
  hashSha256,
  identifyCaller,
  type JsonObject,
  toCanonicalJson,
  UNKNOWN_CALLER,
} from '@tenon/base';
import type { ClientCapabilities } from 'tenon';
import { type Dialect, TASKS } from 'tenon/host-internals';
import type { ClientSession, RequesterInfo } from 'tenon/proxy';
import type { CallerValues } from '../config/caller-template.js';
import { hashCallerValues, readCallerValues } from './caller-values.js';

/** Callers that may share one connection to a server: their identity, and the input requests that they support. */
export interface ConnectionScope {
  /** Key of the scope. It is equal for callers that may share a connection. */
  readonly key: string;
  readonly identity: CallerIdentity;
  /** Caller whose connection limit the scope uses. */
  readonly caller: string;
  /** Input requests that servers may send to the callers. */
  readonly input: SupportedInput;
  /** True if servers may create tasks for calls. The host waits for tasks of callers that do not support them. */
  readonly tasks: boolean;
  /**
   * Preferred protocol version for connections to servers. A version that caller and server share needs no translation.
   */
  readonly preferredVersion: string | undefined;
  /**
   * Extensions that the callers declare and that the host declares to servers, with their settings.
   * @default none
   */
  readonly extensions?: DeclaredExtensions | undefined;
  /** Session of the scope. `undefined` if callers of several sessions share it. */
  readonly session: ClientSession | undefined;
  /**
   * Values of the caller that servers need.
   * @default none
   */
  readonly values?: CallerValues | undefined;
}

/** Settings of extensions, by ID. */
export type DeclaredExtensions = { readonly [id: string]: JsonObject };

/** Kinds of input requests that are supported. */
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
 * Creates the scope of a caller. Each session has its own scope.
 *
 * Callers without a session share a scope if they have the same user, OAuth client and supported input requests.
 * Without authorization, all of these callers are the same user.
 *
 * @param carried IDs of the extensions that the host carries from the caller to the servers.
 * @param valueNames Names of the values of the caller that servers need. Callers with other values have another scope.
 */
export function createConnectionScope(
  requester: RequesterInfo,
  waitForTasks = true,
  valueNames: readonly string[] = [],
  carried: ReadonlySet<string> = new Set(),
): ConnectionScope {
  const { caller, dialect } = requester;
  const session = requester.session ?? requester.originSession;
  const values = valueNames.length === 0 ? undefined : readCallerValues(requester, valueNames);
  const input = getSupportedInput(caller.capabilities);
  const extensions = selectExtensions(caller.capabilities, carried);
  const identity = identifyCaller(caller.auth);
  const sessionPart = session === undefined ? 'all' : getSessionKey(session);
  const tasks = waitForTasks || !lacksTaskExtension(caller.capabilities, dialect);
  const { form, url, sample, sampleTools, roots } = input;
  const flags = `${+form}${+url}${+sample}${+sampleTools}${+roots}${+tasks}`;
  const { protocolVersion, opening } = dialect;
  const preferredVersion = opening === 'handshake' ? protocolVersion : undefined;
  return {
    key: JSON.stringify([
      getOwnerKey(identity) ?? null,
      sessionPart,
      protocolVersion,
      flags,
      ...(extensions === undefined ? [] : [hashExtensions(extensions)]),
      ...(values === undefined ? [] : [hashCallerValues(values)]),
    ]),
    identity,
    // Anonymous callers without a session and values share one connection that has no owner. A caller chooses its values.
    caller: getCallerKey(caller.auth, (session ?? values) ? caller.address : undefined),
    input,
    tasks,
    preferredVersion,
    session,
    ...(extensions === undefined ? {} : { extensions }),
    ...(values === undefined ? {} : { values }),
  };
}

/**
 * Tells if a caller does not support tasks, although its protocol version can declare the extension. Other versions
 * cannot declare that.
 */
export function lacksTaskExtension({ extensions }: ClientCapabilities, dialect: Dialect): boolean {
  return dialect.tasks === 'by-extension' && extensions?.[TASKS] === undefined;
}

/** Tells if servers cannot request input from the callers. Then no result depends on the session of a call. */
export function hasNoInput({ input }: ConnectionScope): boolean {
  return !Object.values(input).includes(true);
}

/**
 * Returns the scope of all callers with the same user and OAuth client, over all sessions and protocol versions. They
 * receive no input requests. Two users never share a scope, because a server may store the data of one of them.
 */
export function joinSessions({ identity, caller, tasks, extensions }: ConnectionScope): ConnectionScope {
  return {
    key: JSON.stringify([
      getOwnerKey(identity) ?? null,
      'shared',
      tasks,
      ...(extensions === undefined ? [] : [hashExtensions(extensions)]),
    ]),
    identity,
    caller: identity.principal === undefined ? UNKNOWN_CALLER : caller,
    input: NO_INPUT,
    tasks,
    preferredVersion: undefined,
    session: undefined,
    ...(extensions === undefined ? {} : { extensions }),
  };
}

/** Returns the extensions of a caller that the host carries, or `undefined` if there are none. */
function selectExtensions(
  { extensions }: ClientCapabilities,
  carried: ReadonlySet<string>,
): DeclaredExtensions | undefined {
  if (extensions === undefined) return undefined;
  const declared = Object.entries(extensions).filter(([id, settings]) => carried.has(id) && settings !== undefined);
  return declared.length === 0 ? undefined : Object.fromEntries(declared as [string, JsonObject][]);
}

const hashExtensions = (extensions: DeclaredExtensions): string => hashSha256(toCanonicalJson(extensions)).slice(0, 16);

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
