import { judge } from '../conversation/opening/probe.js';
import type { Dialect } from '../dialects/dialect.js';
import { dialectOf, dialects, newest } from '../dialects/index.js';
import { isSessionLoss, TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { SERVER_INFO } from '../model/meta.js';
import { methods } from '../model/methods.js';
import type { DiscoverResult, InitializeResult } from '../model/shapes.js';
import type { PausingClock } from './allowance.js';
import { capabilitiesOf } from './answering.js';
import type { LinkEvents } from './connection-events.js';
import type { Endpoint, Listening } from './endpoint.js';
import { clientInfo } from './identity.js';
import { Link } from './link.js';
import type { ClientOptions } from './options.js';
import { processVerdicts } from './verdicts.js';
import { chooseOther, isVersionRefusal, noSharedVersion } from './version-refusal.js';

const PROBE_TIMEOUT = 2000;

/** Opens roads to one server until one is agreed on. https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning */
export async function openLink(
  endpoint: Endpoint,
  options: ClientOptions,
  events: LinkEvents,
  clock: PausingClock,
): Promise<Link> {
  const wanted = wantedDialects(options);
  const opener = new Opener(endpoint, options, events, clock, wanted);
  const { key } = endpoint;
  const preferred = dialectOf(options.prefers ?? '');
  // Only what would be found out by a probe is remembered.
  if (options.revision !== undefined || key === undefined || preferred?.opening === 'handshake')
    return opener.open(preferred);
  const verdicts = options.verdicts ?? processVerdicts;
  const known = dialectOf((await verdicts.get(key)) ?? '');
  const link = await opener.open(known ?? preferred);
  if (!opener.probeFailed) await verdicts.set(key, link.dialect.revision);
  return link;
}

function wantedDialects({ revision }: ClientOptions): readonly Dialect[] {
  if (revision === undefined) return dialects;
  const dialect = dialectOf(revision);
  if (dialect) return [dialect];
  const expected = `one of ${dialects.map(each => each.revision).join(', ')}`;
  throw new TenonError('connect/revision', 'there is no such revision', { expected, got: revision });
}

class Opener {
  readonly #endpoint: Endpoint;
  readonly #options: ClientOptions;
  readonly #events: LinkEvents;
  readonly #wanted: readonly Dialect[];
  readonly #clock: PausingClock;
  #signal: AbortSignal | undefined;
  /** Tells whether the server has forgotten a session that was being opened: that is tried once more. */
  #lostSession = false;
  /** Tells whether the server itself failed when it was probed: that says nothing of the versions that it serves. */
  probeFailed = false;

  constructor(
    endpoint: Endpoint,
    options: ClientOptions,
    events: LinkEvents,
    clock: PausingClock,
    wanted: readonly Dialect[],
  ) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#events = events;
    this.#wanted = wanted;
    this.#clock = clock;
  }

  /** With a verdict of before: opens by that, and finds out anew when it no longer fits. */
  async open(verdict: Dialect | undefined): Promise<Link> {
    const first = verdict ?? this.#wanted[0];
    this.#signal ??= this.#options.opening?.();
    const link = await this.#road(this.#endpoint);
    try {
      if (first?.opening === 'handshake') return await this.#handshake(link, first);
      return await this.#probe(link);
    } catch (error) {
      await link.close();
      if (this.#signal?.aborted) throw TenonError.from(this.#signal.reason);
      if (isSessionLoss(error) && !this.#lostSession) {
        this.#lostSession = true;
        return this.open(verdict);
      }
      if (verdict && verdict.opening === 'handshake' && TenonError.is(error) && error.rpc !== undefined)
        return this.open(undefined);
      throw error;
    }
  }

  async #road(endpoint: Endpoint): Promise<Link> {
    const link = new Link(endpoint, await endpoint.open(), this.#options, this.#events, this.#clock);
    await link.open();
    return link;
  }

  async #probe(link: Link): Promise<Link> {
    link.speak(this.#perRequest());
    const answer = await this.#discover(link);
    const verdict = judge(answer, this.#wanted);
    if (verdict.opening === 'per-request') return this.#discovered(link, verdict.dialect, answer);
    // A server that exits when it is probed is one that wants a handshake: it is started once more.
    if (verdict.opening === 'handshake')
      return link.ended ? this.#again(verdict.dialect) : this.#handshake(link, verdict.dialect);
    throw this.#gaveUp(link, answer);
  }

  async #again(dialect: Dialect): Promise<Link> {
    const link = await this.#road(this.#endpoint);
    return this.#closingOnFailure(link, () => this.#handshake(link, dialect));
  }

  #perRequest(): Dialect {
    return this.#wanted.find(({ opening }) => opening === 'per-request') ?? newest('per-request');
  }

  async #discover(link: Link): Promise<JsonObject | TenonError> {
    try {
      const hasHandshake = this.#wanted.some(({ opening }) => opening === 'handshake');
      // Where there is nothing else to try, the server may take as long as for any call.
      const idleTimeout = this.#options.probeTimeout ?? (hasHandshake ? PROBE_TIMEOUT : undefined);
      return await link.call('server/discover', {}, { idleTimeout, signal: this.#signal });
    } catch (error) {
      const failure = TenonError.from(error);
      this.probeFailed = (failure.status ?? 0) >= 500;
      return failure;
    }
  }

  #gaveUp(link: Link, answer: JsonObject | TenonError): TenonError {
    if (TenonError.is(answer)) return isRefusal(answer) ? this.#notSpoken(link, answer) : answer;
    return new TenonError('connect/unclear', 'the server can not be spoken with', { peer: link.peer });
  }

  #notSpoken(link: Link, cause: TenonError): TenonError {
    const expected = this.#wanted.map(({ revision }) => revision).join(', ');
    return new TenonError('connect/no-shared-revision', `the server does not speak ${expected}`, {
      peer: link.peer,
      expected,
      got: cause.message,
      next: 'do not pin `revision`, or update the server',
      cause,
    });
  }

  async #discovered(link: Link, dialect: Dialect, answer: JsonObject | TenonError): Promise<Link> {
    link.speak(dialect);
    const found = TenonError.is(answer) ? await link.call('server/discover', {}, { signal: this.#signal }) : answer;
    const problem = methods['server/discover'].result(found);
    if (problem) throw malformed(link, 'server/discover', problem);
    const { capabilities, instructions, _meta } = found as unknown as DiscoverResult;
    link.server = { info: (_meta?.[SERVER_INFO] as never) ?? link.server.info, capabilities, instructions };
    link.settled();
    return link;
  }

  async #handshake(link: Link, dialect: Dialect): Promise<Link> {
    link.speak(dialect);
    try {
      return await this.#agree(link, dialect);
    } catch (error) {
      const fallback = this.#endpoint.fallback?.();
      if (!fallback || !TenonError.is(error) || isSessionLoss(error)) throw error;
      if (error.status === undefined || !dialect.http.fallback(error.status)) throw error;
      await link.close();
      // Where the other transport is not served either, what the server itself said of the first is the reason.
      const other = await this.#speaking(fallback, dialect).catch(none => {
        throw error.rpc === undefined ? none : error;
      });
      return this.#closingOnFailure(other, () => this.#initialize(other, dialect));
    }
  }

  /** Initializes; where the server refuses the version, once more with one that it lists, or with the oldest. */
  async #agree(link: Link, dialect: Dialect): Promise<Link> {
    try {
      return await this.#initialize(link, dialect);
    } catch (error) {
      if (!isVersionRefusal(error)) throw error;
      const other = chooseOther(error, dialect, this.#wanted);
      if (other === undefined) throw noSharedVersion(link.channel.peer, error, this.#wanted);
      if (other.opening === 'per-request') {
        link.speak(other);
        return this.#discovered(link, other, error);
      }
      link.speak(other);
      return this.#initialize(link, other).catch(second => {
        throw isVersionRefusal(second) ? noSharedVersion(link.channel.peer, error, this.#wanted) : second;
      });
    }
  }

  async #closingOnFailure(link: Link, open: () => Promise<Link>): Promise<Link> {
    try {
      return await open();
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  async #speaking(endpoint: Endpoint, dialect: Dialect): Promise<Link> {
    const link = await this.#road(endpoint);
    link.speak(dialect);
    return link;
  }

  async #initialize(link: Link, dialect: Dialect): Promise<Link> {
    const params = {
      protocolVersion: dialect.revision,
      capabilities: withNotices(capabilitiesOf(this.#options) as JsonObject),
      clientInfo: clientInfo(this.#options) as unknown as JsonObject,
    };
    const answer = await link.call('initialize', params, {
      totalTimeout: this.#options.totalTimeout,
      signal: this.#signal,
    });
    const problem = methods.initialize.result(answer);
    if (problem) throw malformed(link, 'initialize', problem);
    const agreed = this.#agreed(link, answer.protocolVersion as string, dialect);
    const { serverInfo, capabilities, instructions } = (agreed.speak.up.result('initialize')?.(answer, {}) ??
      answer) as unknown as InitializeResult;
    link.speak(agreed);
    link.server = { info: serverInfo, capabilities, instructions };
    link.settled();
    await link.notify('notifications/initialized');
    if (link.sessionError) throw link.sessionError;
    if ('listen' in link.channel) (link.channel as Listening).listen();
    return link;
  }

  #agreed(link: Link, version: string, asked: Dialect): Dialect {
    const candidates = this.#wanted.length > 1 ? dialects : [asked];
    const dialect = candidates.find(({ revision, opening }) => opening === 'handshake' && revision === version);
    if (dialect) return dialect;
    throw new TenonError('connect/no-shared-revision', 'the server answered with a revision that is not spoken here', {
      peer: link.channel.peer,
      expected: candidates.map(({ revision }) => revision).join(', '),
      got: version.slice(0, 40),
      next: 'update the older end, or do not pin `revision`',
    });
  }
}

/** In a session the client also says when its roots change. */
function withNotices(capabilities: JsonObject): JsonObject {
  return capabilities.roots ? { ...capabilities, roots: { listChanged: true } } : capabilities;
}

/** The server itself said no to the question which revisions it speaks: it is there, and knows no such question. */
function isRefusal({ rpc, status = 0 }: TenonError): boolean {
  return rpc !== undefined && status !== 401 && status !== 403;
}

function malformed(link: Link, method: string, problem: string): TenonError {
  return new TenonError('peer/invalid-result', `the answer is malformed: ${problem}`, {
    peer: link.channel.peer,
    method,
  });
}
