import {
  type Client,
  type ClientOptions,
  type ConnectTarget,
  connect,
  memoryVersionCache,
  type ProtocolVersion,
  protocolVersions,
  TenonError,
  version,
} from 'tenon';
import type { AuthExceptions } from 'tenon/auth';
import { collectAll } from '../collect-all.js';
import { cancelQuestions } from '../questions/cancel-questions.js';
import { explainFailure } from '../target/explain-failure.js';
import type { ProtocolSettings } from '../target/resolve-target.js';
import { readServerLists } from '../tools/read-server-lists.js';
import type { Connection, DoctorContext, DoctorTarget, UndeclaredCapability, VersionOutcome } from './check.js';
import { createHttpProbe } from './http-probe.js';
import { createObservation, openObservedTransport, type StdioObservation } from './observe-stdio.js';
import { resolveLocation } from './raw-requests.js';

export interface ExaminationOptions {
  readonly calls?: readonly string[] | undefined;
  readonly allowCalls?: boolean | undefined;
  /**
   * Maximum time to wait for a response, in milliseconds.
   * @default 10,000
   */
  readonly timeout?: number | undefined;
  /**
   * Deviations of the authorization server that the user accepts.
   * @default none
   */
  readonly authExceptions?: AuthExceptions | undefined;
  /** Settings of the server for its deviations from the protocol. */
  readonly settings?: ProtocolSettings | undefined;
  /** Only this version is examined. */
  readonly protocolVersion?: string | undefined;
  /**
   * Number of repetitions of each measurement.
   * @default 5
   */
  readonly samples?: number | undefined;
  readonly now?: (() => number) | undefined;
  /** Called with each message of the clients. Raw requests are not reported. */
  readonly onMessage?: ClientOptions['onMessage'];
  /** Called before each step, with its name. */
  readonly onStep?: ((step: string) => void) | undefined;
}

const DEFAULT_TIMEOUT = 10_000;
const DEFAULT_SAMPLES = 5;
/** Maximum time for the first response of a server with a handshake, in milliseconds. */
const PROBE_TIMEOUT = 2000;
/** Factor of the time of the first connection, for which connections in other versions may take. */
const SLOWNESS = 5;

type Connect = (options: ClientOptions) => Promise<Client>;

/** Context of the checks, and the function that closes its connection. */
export interface OpenedContext {
  readonly context: DoctorContext;
  close(): Promise<void>;
}

/** Connects to a target in every version, and creates the context of the checks. Never rejects for a faulty server. */
export async function createDoctorContext(
  target: DoctorTarget,
  options: ExaminationOptions = {},
): Promise<OpenedContext> {
  const { timeout = DEFAULT_TIMEOUT, now = () => performance.now(), onStep } = options;
  const url = 'url' in target ? new URL(target.url) : undefined;
  const observation = 'command' in target ? createObservation() : undefined;
  onStep?.('connecting');
  const settings = { ...options, timeout, now };
  const { transport, outcome } = await openFirst(target, observation, settings);
  const connectTo = createConnect(target, transport, observation, settings);
  const connection = outcome instanceof Error ? undefined : outcome;
  const error =
    outcome instanceof Error ? TenonError.from(explainFailure(outcome, observation?.hasEcho ?? false)) : undefined;
  onStep?.('protocol versions');
  const undeclared = connection ? await probeUndeclared(connection, connectTo) : [];
  const versionTimeout = getVersionTimeout(timeout, connection?.connectTime ?? 0);
  const connectInTime: Connect = each =>
    connectTo({
      ...each,
      idleTimeout: versionTimeout,
      totalTimeout: versionTimeout,
      // Only one version is tried, so a slow answer to its probe delays no other one.
      probeTimeout: versionTimeout,
    });
  const versions = connection ? await probeVersions(connection, connectInTime, options.protocolVersion) : [];
  const find = (isStateless: boolean) => {
    return versions.find(each => each.error === undefined && isStatelessVersion(each.version) === isStateless)?.version;
  };
  const finalUrl = connection && url && (await findFinalUrl(url, timeout));
  const context: DoctorContext = {
    target,
    transport: connection && transport,
    url,
    http:
      url && createHttpProbe({ url: finalUrl ?? url, timeout, verify: true, getHeaders: createHeaderSource(target) }),
    anonymous: url && createHttpProbe({ url: finalUrl ?? url, timeout, verify: false, getHeaders: async () => ({}) }),
    stdio: observation,
    connection,
    undeclared,
    error,
    versions,
    handshakeVersion: find(false),
    statelessVersion: find(true),
    authExceptions: options.authExceptions ?? {},
    calls: options.calls ?? [],
    allowCalls: options.allowCalls ?? false,
    samples: options.samples ?? DEFAULT_SAMPLES,
    now,
  };
  return { context, close: async () => connection?.client.close() };
}

/** Follows a redirect as clients do: to the same origin, with the method and the body. A `ping` opens no session. */
async function findFinalUrl(url: URL, timeout: number): Promise<URL> {
  const probe = createHttpProbe({ url, timeout, verify: false, getHeaders: async () => ({}) });
  const response = await probe({ body: { jsonrpc: '2.0', id: 1, method: 'ping' } }).catch(() => undefined);
  const isFollowed = response?.status === 307 || response?.status === 308;
  const target = isFollowed ? resolveLocation(response, url) : undefined;
  return target?.origin === url.origin ? target : url;
}

type ConnectSettings = ExaminationOptions & { readonly timeout: number; readonly now: () => number };

type TransportName = 'http' | 'http-sse' | 'stdio' | 'memory';

/** Connects by Streamable HTTP, else by HTTP+SSE. The error is the one of the first transport. */
async function openFirst(
  target: DoctorTarget,
  observation: StdioObservation | undefined,
  settings: ConnectSettings,
): Promise<{ transport: TransportName; outcome: Connection | TenonError }> {
  const names = listTransports(target);
  const { now, protocolVersion } = settings;
  const pinned = protocolVersion === undefined ? {} : { protocolVersion };
  const open = async (transport: TransportName) => {
    const start = now();
    const connectTo = createConnect(target, transport, observation, settings);
    try {
      // A failure of the probe shows no version. All versions are examined, so a version with a handshake is tried too.
      const client = await connectTo(pinned).catch(error => {
        if (protocolVersion !== undefined || !isFailedProbe(error)) throw error;
        return connectTo({ protocolVersion: protocolVersions.find(each => !isStatelessVersion(each)) });
      });
      return await readTools(client, now() - start);
    } catch (thrown) {
      return TenonError.from(thrown);
    }
  };
  const [first = 'http', second] = names;
  const outcome = await open(first);
  if (!(outcome instanceof Error) || second === undefined || outcome.status === undefined)
    return { transport: first, outcome };
  // A failure of an authorization server says nothing about the transport.
  const isAuth = outcome.code.startsWith('auth/') || outcome.status === 401 || outcome.status === 403;
  if (isAuth) return { transport: first, outcome };
  const other = await open(second);
  return other instanceof Error ? { transport: first, outcome } : { transport: second, outcome: other };
}

const isFailedProbe = (error: unknown): boolean =>
  TenonError.is(error) && error.method === 'server/discover' && error.status !== undefined;

function listTransports(target: DoctorTarget): TransportName[] {
  if ('command' in target) return ['stdio'];
  if (!('url' in target)) return ['memory'];
  return target.transport === undefined ? ['http', 'http-sse'] : [target.transport];
}

async function readTools(client: Client, connectTime: number): Promise<Connection> {
  const reported: TenonError[] = [];
  const connection = { client, connectTime, reported };
  const stop = client.on('error', error => void reported.push(error));
  try {
    const { tools, resources, resourceTemplates, prompts, failures } = await readServerLists(client);
    // Sent only if the server declares the capability and the version has the method.
    const logLevelError = await client.setLogLevel('info').then(
      () => undefined,
      (thrown: unknown) => TenonError.from(thrown),
    );
    return { ...connection, tools, prompts, resources: [...resources, ...resourceTemplates], failures, logLevelError };
  } finally {
    stop();
  }
}

function createConnectTarget(
  target: DoctorTarget,
  transport: TransportName,
  observation: StdioObservation | undefined,
  now: () => number,
): ConnectTarget {
  if ('url' in target) return { ...target, transport: transport === 'http-sse' ? 'http-sse' : 'http' };
  if ('command' in target) return () => openObservedTransport(target, observation ?? createObservation(), now);
  return target;
}

function createConnect(
  target: DoctorTarget,
  transport: TransportName,
  observation: StdioObservation | undefined,
  { timeout, now, onMessage, settings }: ConnectSettings,
): Connect {
  return options =>
    connect(createConnectTarget(target, transport, observation, now), {
      name: 'tenon-doctor',
      version,
      idleTimeout: timeout,
      totalTimeout: timeout,
      probeTimeout: Math.min(PROBE_TIMEOUT, timeout),
      // A cached version or a cached list would hide the behavior of the server.
      versionCache: memoryVersionCache(),
      cacheSize: 0,
      ...cancelQuestions,
      ...settings,
      onMessage,
      ...options,
    });
}

const PROBED = ['tools', 'prompts', 'resources'] as const;

/** Lists what the server has of the capabilities that it does not declare. */
async function probeUndeclared({ client }: Connection, connectTo: Connect): Promise<UndeclaredCapability[]> {
  const names = PROBED.filter(name => !client.server.capabilities[name]);
  if (names.length === 0) return [];
  const found: UndeclaredCapability[] = [];
  try {
    const assuming = await connectTo({ assumeCapabilities: names });
    const lists = {
      tools: () => assuming.listTools(),
      prompts: () => assuming.listPrompts(),
      resources: () => assuming.listResources(),
    };
    for (const name of names) {
      const entries = await collectAll<{ readonly name: string }>(lists[name]()).catch(() => []);
      if (entries.length > 0) found.push({ capability: name, entries: entries.map(entry => entry.name) });
    }
    await assuming.close();
  } catch {
    // A server that accepts only one connection cannot be probed.
  }
  return found;
}

/** Connects with each version, one after the other. The negotiated one is known to work. */
async function probeVersions(
  { client }: Connection,
  connectTo: Connect,
  only: string | undefined,
): Promise<VersionOutcome[]> {
  const outcomes: VersionOutcome[] = [];
  for (const protocolVersion of protocolVersions) {
    // One ping is enough, because servers answer it in the same way in all versions with a handshake.
    const pings =
      !isStatelessVersion(protocolVersion) &&
      outcomes.every(({ version, error }) => isStatelessVersion(version) || error);
    if (protocolVersion === client.server.protocolVersion)
      outcomes.push({ version: protocolVersion, ...(pings && { pingError: await probePing(client) }) });
    else if (only === undefined) outcomes.push(await probeVersion(protocolVersion, connectTo, pings));
  }
  return outcomes;
}

/**
 * Returns the time for a connection in another version, in milliseconds. A server or a machine that was slow at the
 * first connection is slow again, and that is no fault of the version.
 */
export const getVersionTimeout = (timeout: number, connectTime: number): number =>
  Math.max(timeout, SLOWNESS * connectTime);

async function probeVersion(
  protocolVersion: ProtocolVersion,
  connectTo: Connect,
  pings: boolean,
): Promise<VersionOutcome> {
  try {
    const client = await connectTo({ protocolVersion });
    const pingError = pings ? await probePing(client) : undefined;
    await client.close();
    return { version: protocolVersion, pingError };
  } catch (thrown) {
    return { version: protocolVersion, error: TenonError.from(thrown) };
  }
}

async function probePing(client: Client): Promise<TenonError | undefined> {
  try {
    await client.ping();
    return undefined;
  } catch (thrown) {
    return TenonError.from(thrown);
  }
}

/** Tells if a version has no handshake. Only the newest version has none. */
const isStatelessVersion = (protocolVersion: string): boolean => protocolVersion === protocolVersions[0];

/** Creates a function that returns the headers and the token that the user passed. */
function createHeaderSource(target: DoctorTarget) {
  return async (method: string, url: string): Promise<Readonly<Record<string, string>>> => {
    if (!('url' in target)) return {};
    const { headers = {}, auth } = target;
    const configured = typeof headers === 'function' ? await headers() : headers;
    const token =
      auth === undefined
        ? {}
        : typeof auth === 'string'
          ? { authorization: `Bearer ${auth}` }
          : await auth.getHeaders({ method, url });
    return {
      ...Object.fromEntries(Object.entries(configured).map(([name, value]) => [name.toLowerCase(), value])),
      ...token,
    };
  };
}
