import {
  type Clock,
  checkArray,
  checkFunction,
  checkOptional,
  checkString,
  METHOD_NOT_FOUND,
  requireArgument,
  requirePresentOptions,
  runWithTimeout,
  systemClock,
  TenonError,
} from '@tenon/base';
import type { JsonRpcMessage, Transport } from 'tenon';
import {
  createFailure,
  createSuccess,
  type Id,
  isId,
  isMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from 'tenon/testing-internals';
import { malformed, withFaults } from '../../faults.js';
import { optionalClock, optionalText, optionalTimeout } from '../../option-checks.js';
import { checkRecording, parseRecording, selectServer } from '../parse-recording.js';
import { type RecordedExchange, type RecordedSession, toSessions } from '../recorded-sessions.js';
import type { Recording } from '../recording.js';
import { redactMessage } from '../redact-message.js';
import { compareJson, type JsonDifference } from './compare-json.js';
import { IgnoredPaths } from './ignored-paths.js';
import { parseJsonTexts } from './json-texts.js';
import { findNearest, formatRequest, toComparable } from './match-requests.js';
import { OpaqueValues } from './opaque-values.js';
import { listServerRequests, type RecordedServerRequest } from './server-requests.js';

/** Default time to wait for one response, in milliseconds. */
const RESPONSE_TIMEOUT = 30_000;

/** Maximum time to wait for the last recorded requests of the server, in milliseconds. */
const SERVER_REQUEST_TIMEOUT = 2000;

/** Options of `replayToServer`. */
export interface ReplayClientOptions {
  /**
   * Paths in results that are not compared: a JSON Pointer, in which `*` stands for any member, or the name of a member
   * at any depth. A pointer may begin with `/result`, as in the report. A text of a tool that repeats its structured
   * content is compared as JSON, without the values that are ignored there. Cursors, request states and IDs of tasks are
   * never compared.
   * @default none
   */
  readonly ignore?: readonly string[] | undefined;
  /**
   * Maximum time to wait for one response, in milliseconds.
   * @default 30,000
   */
  readonly timeout?: number | undefined;
  /**
   * Name of the server, if the recording has several.
   * @default the only server of the recording
   */
  readonly server?: string | undefined;
  /**
   * Source of time, for tests.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

/** Recorded request whose answer differs. */
export interface ReplayDifference {
  /** Line of the request in the recording. */
  readonly line: number;
  /** Method of the request. */
  readonly method: string;
  /** The request in one line, without secrets. */
  readonly request: string;
  /** The difference in one sentence. */
  readonly summary: string;
  /** Values that differ. Empty if there is no response to compare. */
  readonly values: readonly JsonDifference[];
}

/** Result of a replay as a client. */
export interface ReplayReport {
  /** True if no answer differs. */
  readonly ok: boolean;
  /** Number of requests that were sent. */
  readonly requests: number;
  /** Number of responses that were compared. */
  readonly compared: number;
  /** The differences, in the order of the recording. */
  readonly differences: readonly ReplayDifference[];
  /** Paths of `ignore` that no value of a compared response had. Absent if there are none. */
  readonly unmatchedIgnores?: readonly string[];
}

/**
 * Sends the recorded messages of the client to a server, and compares the responses with the recorded ones. Requests of
 * the server get the recorded answers.
 *
 * @param open Opens a connection to the server. Called for each recorded connection.
 */
export async function replayToServer(
  recording: Recording | string,
  open: () => Transport | Promise<Transport>,
  options: ReplayClientOptions = {},
): Promise<ReplayReport> {
  requirePresentOptions<ReplayClientOptions>('replayToServer', options, {
    ignore: checkOptional(checkArray(checkString)),
    timeout: optionalTimeout,
    server: optionalText,
    clock: optionalClock,
  });
  requireArgument('`recording` of replayToServer', recording, checkRecording);
  requireArgument('`open` of replayToServer', open, checkFunction);
  const parsed = typeof recording === 'string' ? parseRecording(recording) : recording;
  const sessions = toSessions(selectServer(parsed, options.server));
  const ignored = new IgnoredPaths(options.ignore ?? []);
  const replays: ClientReplay[] = [];
  for (const session of sessions) {
    const replay = new ClientReplay(session, ignored, options);
    replays.push(replay);
    await replay.run(await open());
  }
  const differences = replays.flatMap(replay => replay.differences);
  return {
    ok: differences.length === 0,
    requests: replays.reduce((sum, { requests }) => sum + requests, 0),
    compared: replays.reduce((sum, { compared }) => sum + compared, 0),
    differences: differences.sort((a, b) => a.line - b.line),
    ...(ignored.unmatched.length > 0 ? { unmatchedIgnores: ignored.unmatched } : {}),
  };
}

/** Sends the client's messages of one recorded connection. */
class ClientReplay {
  readonly differences: ReplayDifference[] = [];
  requests = 0;
  compared = 0;
  readonly #session: RecordedSession;
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #ignored: IgnoredPaths;
  readonly #values = new OpaqueValues();
  readonly #waiting = new Map<Id, (response: JsonRpcResponse | TenonError) => void>();
  readonly #pending = new Map<RecordedExchange, Promise<void>>();
  readonly #serverRequests: RecordedServerRequest[];
  #onAllAnswered: () => void = () => {};
  /** Error of later requests, once the connection is closed. */
  #closed: TenonError | undefined;

  constructor(session: RecordedSession, ignored: IgnoredPaths, options: ReplayClientOptions) {
    this.#session = session;
    this.#clock = options.clock ?? systemClock;
    this.#timeout = options.timeout ?? RESPONSE_TIMEOUT;
    this.#ignored = ignored;
    this.#serverRequests = listServerRequests(session);
  }

  async run(opened: Transport): Promise<void> {
    const malformedIds = new Set(this.#session.exchanges.flatMap(each => (each.isMalformed ? each.request.id : [])));
    const isMalformed = (message: unknown) =>
      isMessage(message) && 'method' in message && 'id' in message && malformedIds.has(message.id);
    const transport = withFaults(opened, { send: message => (isMalformed(message) ? malformed : undefined) });
    await transport.open({
      onMessage: value => this.#receive(transport, value),
      onParseError: () => {},
      onResponseLost: (id, error) => this.#waiting.get(id)?.(error),
      onClose: error => this.#failAll(error),
    });
    const exchanges = new Map(this.#session.exchanges.map(exchange => [exchange.line, exchange]));
    for (const { dir, message, line } of this.#session.messages) {
      if (dir === 'recv' || !('method' in message)) continue;
      await this.#waitForEarlier(line);
      const exchange = exchanges.get(line);
      if (exchange) this.#sendRequest(transport, exchange);
      else await this.#send(transport, message);
    }
    await this.#waitForEarlier(Number.POSITIVE_INFINITY);
    await this.#waitForServerRequests();
    for (const { line, request } of this.#serverRequests) {
      this.#addDifference(line, request, 'the server did not send this recorded request');
    }
    await transport.close();
  }

  /** Waits for the responses that the client had when it sent the message of a line. */
  async #waitForEarlier(line: number): Promise<void> {
    const earlier = [...this.#pending].filter(([{ responseLine }]) => responseLine < line);
    await Promise.all(earlier.map(([, response]) => response));
  }

  /** Waits for recorded requests of the server. A server may send them some time after a response. */
  async #waitForServerRequests(): Promise<void> {
    if (this.#serverRequests.length === 0) return;
    const allAnswered = new Promise<void>(resolve => {
      this.#onAllAnswered = resolve;
    });
    await runWithTimeout(() => allAnswered, {
      clock: this.#clock,
      timeout: Math.min(this.#timeout, SERVER_REQUEST_TIMEOUT),
      hold: true,
      onTimeout: () => undefined,
    });
  }

  async #send(transport: Transport, message: JsonRpcMessage): Promise<void> {
    try {
      await transport.send(message);
    } catch {
      // The requests without a response report the closed connection.
    }
  }

  #sendRequest(transport: Transport, exchange: RecordedExchange): void {
    const { request, response: recorded } = exchange;
    const { params } = request;
    const response = new Promise<JsonRpcResponse | TenonError>(resolve => {
      if (this.#closed) resolve(this.#closed);
      else this.#waiting.set(request.id, resolve);
    });
    this.requests += 1;
    void this.#send(transport, params === undefined ? request : { ...request, params: this.#values.replaceIn(params) });
    if (recorded === undefined) return;
    const received = runWithTimeout(() => response, {
      clock: this.#clock,
      timeout: this.#timeout,
      hold: true,
      onTimeout: () => new TenonError('call/timeout', `no response within ${this.#timeout} ms`),
    });
    this.#pending.set(
      exchange,
      received.then(answer => this.#compare(exchange, recorded, answer)),
    );
  }

  #compare(exchange: RecordedExchange, recorded: JsonRpcResponse, received: JsonRpcResponse | TenonError): void {
    this.#waiting.delete(exchange.request.id);
    const { line, request } = exchange;
    if (received instanceof TenonError) return this.#addDifference(line, request, received.message);
    this.compared += 1;
    if ('result' in recorded && 'result' in received) this.#values.learn(recorded.result, received.result);
    const [one, other] = parseTexts(getBody(recorded), getBody(redactMessage(received)));
    const values = compareJson(one, other, path => this.#ignored.matches(path.slice(1)));
    if (values.length > 0) this.#addDifference(line, request, 'the response differs', values);
  }

  #receive(transport: Transport, value: unknown): void {
    if (Array.isArray(value)) {
      for (const each of value) this.#receive(transport, each);
      return;
    }
    if (!isMessage(value)) return;
    if (!('method' in value)) return isId(value.id) ? this.#waiting.get(value.id)?.(value) : undefined;
    if ('id' in value) void this.#send(transport, this.#answer(value));
  }

  /** Answers a request of the server as recorded. */
  #answer(request: JsonRpcRequest): JsonRpcResponse {
    const { id, method } = request;
    const candidates = this.#serverRequests.filter(each => each.request.method === method);
    const nearest = findNearest(toComparable(request), candidates);
    const recorded = candidates.find(each => each === nearest);
    if (recorded === undefined) {
      if (method === 'ping') return createSuccess(id, {});
      // The client may have closed the recorded connection before the server sent it. A response shows its effect.
      return createFailure(id, { code: METHOD_NOT_FOUND, message: 'Method not found: it is not in the recording' });
    }
    this.#serverRequests.splice(this.#serverRequests.indexOf(recorded), 1);
    if (this.#serverRequests.length === 0) this.#onAllAnswered();
    return { ...recorded.answer, id };
  }

  #failAll(error = new TenonError('connection/closed', 'the server closed the connection')): void {
    this.#closed = error;
    for (const fail of this.#waiting.values()) fail(error);
  }

  #addDifference(line: number, request: JsonRpcRequest, summary: string, values: readonly JsonDifference[] = []): void {
    const description = formatRequest(toComparable(request));
    this.differences.push({ line, method: request.method, request: description, summary, values });
  }
}

type Body = { readonly result: unknown } | { readonly error: unknown };

function parseTexts(recorded: Body, received: Body): readonly [Body, Body] {
  if (!('result' in recorded && 'result' in received)) return [recorded, received];
  const [one, other] = parseJsonTexts(recorded.result, received.result);
  return [{ result: one }, { result: other }];
}

function getBody(response: JsonRpcResponse): Body {
  return 'result' in response ? { result: response.result } : { error: response.error };
}
