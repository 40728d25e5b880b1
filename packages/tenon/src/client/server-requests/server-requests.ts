import { isObject, type JsonObject, METHOD_NOT_FOUND, rpcError } from '@tenon/base';
import { isId, type JsonRpcRequest } from '../../jsonrpc/message.js';
import type { TolerantConnection } from '../../jsonrpc/tolerance.js';
import { RELATED_TASK } from '../../protocol/meta.js';
import { isMethod } from '../../protocol/methods.js';
import { readMethod, readParams } from '../../protocol/tolerant-reading.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import type { PausableClock } from '../calls/call-deadline.js';
import type { ClientOptions, InternalRequestInfo, ServerRequestInfo } from '../options.js';
import { handleServerRequest } from './request-handlers.js';

/** The connection that received a request of the server. */
export interface ServerRequestContext {
  readonly dialect: Dialect;
  readonly options: ClientOptions;
  readonly clock: PausableClock;
  readonly connection: TolerantConnection;
  /** Sends `notifications/progress`. */
  report(params: JsonObject): void;
}

/**
 * Handles a request of the server. The timeouts of this client's calls are paused meanwhile, because the user may need
 * time.
 */
export async function answerRequest(
  { method: requestedMethod, params = {} }: JsonRpcRequest,
  { dialect, options, clock, report, connection }: ServerRequestContext,
  info: Omit<InternalRequestInfo, 'progress'>,
): Promise<JsonObject> {
  if (requestedMethod === 'ping') return {};
  const method = readMethod(connection, requestedMethod);
  if (isMethod(method) && !dialect.methods.server.has(method))
    throw rpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
  const read = readParams(connection, method, params);
  const decoded = dialect.transforms.decode.params?.(method)?.(read, {}) ?? read;
  const reporter = createProgressReporter(decoded, report);
  const resume = clock.pause();
  try {
    const result = await handleServerRequest(method, decoded, options, { ...info, progress: reporter.progress });
    const encoded = dialect.transforms.encode.result?.(method)?.(result, {}) ?? result;
    // The result names the task that sent the request.
    const task = isObject(params._meta) ? params._meta[RELATED_TASK] : undefined;
    if (task === undefined) return encoded;
    return { ...encoded, _meta: { ...(encoded._meta as JsonObject), [RELATED_TASK]: task } };
  } finally {
    reporter.stop();
    resume();
  }
}

/**
 * Creates a function that reports progress with the token of a request, while the request is in progress. Without a
 * token the function does nothing.
 */
function createProgressReporter({ _meta }: JsonObject, report: (params: JsonObject) => void) {
  const progressToken = isObject(_meta) ? _meta.progressToken : undefined;
  let last = Number.NEGATIVE_INFINITY;
  let isOver = !isId(progressToken);
  const progress: ServerRequestInfo['progress'] = (value, total, message) => {
    if (isOver || !Number.isFinite(value) || value <= last) return;
    last = value;
    report({
      progressToken,
      progress: value,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    });
  };
  return {
    progress,
    stop() {
      isOver = true;
    },
  };
}
