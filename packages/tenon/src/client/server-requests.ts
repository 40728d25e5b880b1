import type { Dialect } from '../dialects/dialect.js';
import { METHOD_NOT_FOUND } from '../jsonrpc/codes.js';
import { rpcError } from '../jsonrpc/error.js';
import { isId, isObject, type JsonObject, type Request } from '../jsonrpc/message.js';
import { isMethod } from '../model/methods.js';
import type { PausingClock } from './allowance.js';
import { answer, inWordsOf, relateToTask } from './answering.js';
import type { Asked, ClientOptions } from './options.js';

/** The connection on which a server asks. */
export interface AskedConnection {
  readonly dialect: Dialect;
  readonly options: ClientOptions;
  readonly clock: PausingClock;
  /** Sends `notifications/progress`. */
  report(params: JsonObject): void;
}

/** Answers a request of the server. The calls of this client wait as long: whom the server asks may take their time. */
export async function answerRequest(
  { method, params = {} }: Request,
  { dialect, options, clock, report }: AskedConnection,
  about: Omit<Asked, 'progress'>,
): Promise<JsonObject> {
  if (method === 'ping') return {};
  if (isMethod(method) && !dialect.vocabulary.server.has(method))
    throw rpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
  const asked = dialect.speak.up.params(method)?.(params, {}) ?? params;
  const reporter = createProgressReporter(asked, report);
  const goOn = clock.hold();
  try {
    const result = await answer(method, asked, options, { ...about, progress: reporter.progress });
    return relateToTask(inWordsOf(dialect, method, result), params);
  } finally {
    reporter.stop();
    goOn();
  }
}

/** Reports progress under the token of a request, while that is worked on; does nothing where there is no token. */
function createProgressReporter({ _meta }: JsonObject, report: (params: JsonObject) => void) {
  const progressToken = isObject(_meta) ? _meta.progressToken : undefined;
  let last = Number.NEGATIVE_INFINITY;
  let isOver = !isId(progressToken);
  const progress: Asked['progress'] = (value, total, message) => {
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
