import type { Asking } from '../../conversation/asking/asking.js';
import type { Dialect } from '../../dialects/dialect.js';
import type { TenonError } from '../../jsonrpc/error.js';
import { isId, type JsonObject } from '../../jsonrpc/message.js';
import type { Session, Turn } from '../../server/turn.js';
import type { TaskRecord } from './record.js';

declare class AbortController {
  readonly signal: AbortSignal;
}

/** What a handler that works on a task knows of its client, who may be gone for long. */
export function turnOf(
  record: TaskRecord,
  dialect: Dialect,
  signal: AbortSignal,
  notify: (method: string, params: JsonObject) => void,
  begunIn: () => Session | undefined,
  report: (error: TenonError) => void,
): Turn {
  const { client, capabilities, auth } = record.caller;
  return {
    id: record.id,
    dialect,
    caller: { client, capabilities, auth },
    logLevel: undefined,
    signal,
    header: undefined,
    request: undefined,
    subscriptions: undefined,
    get begunIn() {
      return begunIn();
    },
    report,
    notify,
    asking: (): Asking => {
      throw new Error('a task is entered by its worker');
    },
  };
}

/** A turn for questions about a task on which nobody works. */
export function createIdleTurn(record: TaskRecord, dialect: Dialect): Turn {
  const nothing = () => undefined;
  return turnOf(record, dialect, new AbortController().signal, nothing, nothing, nothing);
}

/** The token by which the client wants to hear of progress, where it does. */
export function tokenOf({ params }: Pick<TaskRecord, 'params'>): string | number | undefined {
  const token = (params._meta as JsonObject | undefined)?.progressToken;
  return isId(token) ? token : undefined;
}

/** What the handler is entered with. Its progress is wanted in any case: it is how the task stands. */
export function paramsOf(record: TaskRecord): JsonObject {
  const { id, params } = record;
  if (tokenOf(record) !== undefined) return params;
  return { ...params, _meta: { ...(params._meta as JsonObject | undefined), progressToken: id } };
}
