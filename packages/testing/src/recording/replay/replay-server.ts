import { checkOneOf, checkOptional, requireArgument, requirePresentOptions, SERVER_STOPPED } from '@tenon/base';
import type { JsonRpcMessage, RequestHandler, Transport } from 'tenon';
import {
  classifyRequest,
  createFailure,
  type Id,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type RequestIO,
  type ServerSession,
} from 'tenon/testing-internals';
import { optionalFunction, optionalText } from '../../option-checks.js';
import { checkRecording, parseRecording, selectServer } from '../parse-recording.js';
import { type RecordedSession, toSessions } from '../recorded-sessions.js';
import { listRecordedDialects } from '../recorded-versions.js';
import type { Recording } from '../recording.js';
import { formatRequest, getComparable } from './match-requests.js';
import { OPTIONAL_METHODS, type ReplayMismatch, type ReplayMode } from './replay-matching.js';
import { ReplaySession } from './replay-session.js';
import { ReplayTransportSession } from './replay-transport-session.js';

/** Options of `createReplayServer`. */
export interface ReplayServerOptions {
  /**
   * `strict` requires the recorded requests in their order, with equal params, and equal answers to requests of the
   * server. `lenient` answers each request with the nearest recorded one of the same method and name.
   * @default `strict`
   */
  readonly mode?: ReplayMode | undefined;
  /**
   * Name of the server, if the recording has several.
   * @default the only server of the recording
   */
  readonly server?: string | undefined;
  /**
   * Called for each request and each answer that does not match the recording.
   * @default nothing is called
   */
  readonly onMismatch?: ((mismatch: ReplayMismatch) => void) | undefined;
}

/** Server that answers as a recorded one. Pass it to `connect`, `serveStdio` or `serveHttp`. */
export interface ReplayServer extends RequestHandler {
  /** Requests and answers that did not match the recording. */
  readonly mismatches: readonly ReplayMismatch[];
  /** Recorded requests that the clients have not sent yet. Only those of connections that were opened count. */
  readonly remaining: readonly string[];
}

/**
 * Creates a server that answers as recorded. It sends the recorded notifications and requests as well, in their order.
 * The first connection replays the first recorded one, and so on. Later connections begin again with the first.
 *
 * @param recording Content of a recording, or the result of `parseRecording`.
 * @throws TenonError `recording/…` when the recording is invalid.
 */
export function createReplayServer(recording: Recording | string, options: ReplayServerOptions = {}): ReplayServer {
  requirePresentOptions<ReplayServerOptions>('createReplayServer', options, {
    mode: checkOptional(checkOneOf('strict', 'lenient')),
    server: optionalText,
    onMismatch: optionalFunction,
  });
  const { mode = 'strict', server, onMismatch } = options;
  requireArgument('`recording` of createReplayServer', recording, checkRecording);
  const parsed = typeof recording === 'string' ? parseRecording(recording) : recording;
  const sessions = toSessions(selectServer(parsed, server));
  const served = listRecordedDialects(sessions);
  const mismatches: ReplayMismatch[] = [];
  const opened: ReplaySession[] = [];
  const report = (mismatch: ReplayMismatch) => {
    mismatches.push(mismatch);
    onMismatch?.(mismatch);
  };
  const open = (session: RecordedSession, send: (message: JsonRpcMessage, relatedTo: Id | undefined) => void) => {
    const replay = new ReplaySession(session, sessions, { mode, send, onMismatch: report });
    opened.push(replay);
    return replay;
  };
  const connections = selectConnections(sessions);
  let count = 0;
  let stateless: StatelessReplay | undefined;
  return {
    mismatches,
    get remaining() {
      return opened.flatMap(({ remaining }) => remaining.map(each => formatRequest(getComparable(each))));
    },
    classifyRequest: (request, versionHeader) => classifyRequest(request, served, versionHeader),
    async connect(transport: Transport): Promise<ServerSession> {
      const session = connections[count % connections.length] ?? {
        number: 1,
        opening: [],
        exchanges: [],
        messages: [],
      };
      count += 1;
      const connection = new ReplayTransportSession(transport, served, send => open(session, send));
      await connection.open();
      return connection;
    },
    answer(request: JsonRpcRequest, _route: unknown, io: RequestIO) {
      stateless ??= new StatelessReplay(send => open(mergeSessions(sessions), send));
      return stateless.answer(request, io);
    },
  };
}

/** Selects the recorded connections that a client may open. Over HTTP, a probe can have a session of its own. */
function selectConnections(sessions: readonly RecordedSession[]): readonly RecordedSession[] {
  const used = sessions.filter(({ exchanges }) =>
    exchanges.some(({ request }) => !OPTIONAL_METHODS.has(request.method)),
  );
  return used.length > 0 ? used : sessions;
}

/** Merges the connections without a handshake, because stateless requests need no connection. */
function mergeSessions(sessions: readonly RecordedSession[]): RecordedSession {
  const merged = sessions.filter(({ exchanges }) => !exchanges.some(({ request }) => request.method === 'initialize'));
  return {
    number: 1,
    opening: [],
    exchanges: merged.flatMap(({ exchanges }) => exchanges),
    messages: merged.flatMap(({ messages }) => messages),
  };
}

interface StatelessCall {
  readonly id: Id;
  readonly io: RequestIO;
  respond(response: JsonRpcResponse): void;
}

/** Answers requests that have no connection. Each gets an ID of its own, because clients may use the same IDs. */
class StatelessReplay {
  readonly #session: ReplaySession;
  readonly #calls = new Map<Id, StatelessCall>();
  #count = 0;

  constructor(open: (send: (message: JsonRpcMessage, relatedTo: Id | undefined) => void) => ReplaySession) {
    this.#session = open((message, relatedTo) => this.#send(message, relatedTo));
  }

  answer(request: JsonRpcRequest, io: RequestIO): Promise<JsonRpcResponse> {
    this.#count += 1;
    const key = `call-${this.#count}`;
    return new Promise(resolve => {
      this.#calls.set(key, { id: request.id, io, respond: resolve });
      const cancel = () => {
        this.#calls.delete(key);
        this.#session.cancel(key);
        resolve(createFailure(request.id, { code: SERVER_STOPPED, message: 'The server is shutting down' }));
      };
      io.onClientClosed(cancel);
      io.onShutdown?.(cancel);
      this.#session.handleRequest({ ...request, id: key });
    });
  }

  #send(message: JsonRpcMessage, relatedTo: Id | undefined): void {
    const call = relatedTo === undefined ? undefined : this.#calls.get(relatedTo);
    if (call === undefined || relatedTo === undefined) return;
    if (!('method' in message)) {
      this.#calls.delete(relatedTo);
      call.respond({ ...message, id: call.id });
    } else if (!('id' in message)) void call.io.send(message);
  }
}
