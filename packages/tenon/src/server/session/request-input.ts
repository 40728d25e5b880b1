import { getCancelReason, TenonError, toJsonObject } from '@tenon/base';
import type { RequestInput } from '../../execution/handler-run.js';
import type { Id } from '../../jsonrpc/message.js';
import type { Peer } from '../../jsonrpc/peer.js';
import type { RequestScope } from '../../jsonrpc/request-scope.js';
import type { TolerantConnection } from '../../jsonrpc/tolerance.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import { methods } from '../../protocol/methods.js';
import { createUnsupportedError, findMissingForRequest } from '../../protocol/missing-capabilities.js';
import { readResult, withLists } from '../../protocol/tolerant-reading.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import { markClientError } from './client-errors.js';

declare const AbortSignal: { any(signals: AbortSignal[]): AbortSignal };

/**
 * Maximum time for a client to answer an input request, in milliseconds. It is long because a person may have to
 * answer.
 */
const INPUT_TIMEOUT = 30 * 60_000;

/** The peer and the related request of an input request. */
export interface RequestInputOptions {
  readonly peer: Peer;
  readonly dialect: Dialect;
  readonly capabilities: ClientCapabilities;
  readonly connection: TolerantConnection;
  /** The request on whose stream the input request is sent. Absent: the stream of the session. */
  readonly relatedTo?: Id;
  /** Resolves when the client is initialized. Returns `undefined` if it already is. */
  readonly waitForInitialized: (method: string) => Promise<void> | undefined;
  /** The request for which input is requested. When it ends, the input request is cancelled. */
  readonly scope?: RequestScope;
  /** Called when the client was sent a URL elicitation. */
  readonly onElicitationSent: (elicitationId: string) => void;
}

/** Sends input requests as JSON-RPC requests, in the form of the client's protocol version. */
export function createRequestInput(options: RequestInputOptions): RequestInput {
  const { peer, dialect, capabilities, connection, relatedTo, scope, onElicitationSent, waitForInitialized } = options;
  const sendOptions = { responseTimeout: INPUT_TIMEOUT, ...(relatedTo === undefined ? {} : { relatedTo }) };
  return async (method, params, signal, onProgress) => {
    const missing = dialect.methods.server.has(method)
      ? findMissingForRequest(method, params, capabilities)
      : { [method]: {} };
    if (missing) throw createUnsupportedError(dialect, missing);
    const encoded = dialect.transforms.encode.params?.(method)?.(params, {}) ?? params;
    const initialized = waitForInitialized(method);
    if (initialized) await initialized;
    if (typeof encoded.elicitationId === 'string') onElicitationSent(encoded.elicitationId);
    const meta = toJsonObject(encoded._meta);
    // With a token, the client may report progress on the input request, which restarts its timeout.
    const call = peer.call(method, id => ({ ...encoded, _meta: { ...meta, progressToken: id } }), {
      signal: signal && scope ? AbortSignal.any([signal, scope.signal.signal]) : (signal ?? scope?.signal),
      idleTimeout: INPUT_TIMEOUT,
      send: sendOptions,
      ...(onProgress
        ? {
            onProgress: ({ progress, total, message }) => {
              if (typeof progress !== 'number') return;
              const text = typeof message === 'string' ? message : undefined;
              onProgress(progress, typeof total === 'number' ? total : undefined, text);
            },
          }
        : {}),
      onAbandoned: (requestId, error) =>
        void peer.notify('notifications/cancelled', { requestId, reason: getCancelReason(error) }, sendOptions),
    });
    const received = await call.catch((error: unknown) => {
      throw markClientError(error);
    });
    const raw = readResult(connection, method, received);
    const answer = withLists(connection, method, dialect.transforms.decode.result?.(method)?.(raw, { params }) ?? raw);
    const issue = methods[method as keyof typeof methods].result(answer);
    if (issue === undefined) return answer;
    throw new TenonError('client/invalid-answer', `The client's answer to ${method} is malformed: ${issue}`);
  };
}
