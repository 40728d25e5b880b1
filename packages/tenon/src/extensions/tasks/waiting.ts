import { INVALID_PARAMS } from '../../jsonrpc/codes.js';
import { rpcError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { RELATED_TASK } from '../../model/meta.js';
import { isTerminal } from '../../model/tasks.js';
import type { Turn } from '../../server/turn.js';
import type { Courier } from './courier.js';
import type { Maker } from './making.js';
import type { TaskRecord } from './record.js';
import type { Shelf } from './shelf.js';

/** How long nothing may be heard of a task before it is looked at again, in milliseconds. */
const LOOK = 5000;

/** Waits for a task to end, and asks meanwhile what it has to ask. `find` reads it, and throws when there is none. */
export async function outcomeOf(
  maker: Maker,
  shelf: Shelf,
  courier: Courier,
  taskId: string,
  turn: Turn,
  find: () => Promise<TaskRecord>,
): Promise<JsonObject> {
  const asked = new Set<string>();
  for (;;) {
    const change = nextChange(maker, shelf, taskId, turn.signal);
    const record = await find().catch(error => {
      change.stop();
      throw error;
    });
    if (isTerminal(record.status)) {
      change.stop();
      maker.worker.event('read', record);
      return maker.house.ofTool(record.params.name as string, payload(record));
    }
    for (const key of Object.keys(record.questions)) {
      if (asked.has(key)) continue;
      asked.add(key);
      courier.bring(record, key, turn);
    }
    await change.happened;
  }
}

function payload({ id, result, error }: TaskRecord): JsonObject {
  if (error) throw rpcError(error.code, error.message, error.data);
  if (result === undefined) throw rpcError(INVALID_PARAMS, 'Invalid params: the task was cancelled, and has no result');
  return { ...result, _meta: { ...(result._meta as JsonObject | undefined), [RELATED_TASK]: { taskId: id } } };
}

/** The next time that something happens to a task, or that it is worth a look. */
function nextChange({ house }: Maker, shelf: Shelf, taskId: string, signal: AbortSignal) {
  let stop: () => void = () => {};
  const happened = new Promise<void>((resolve, reject) => {
    const unhear = shelf.hear(id => id === taskId && done());
    const off = house.clock.after(LOOK, () => done());
    const abort = () => done(rpcError(INVALID_PARAMS, 'The client gave the request up'));
    const done = (error?: unknown) => {
      unhear();
      off();
      signal.removeEventListener('abort', abort);
      if (error) reject(error);
      else resolve();
    };
    stop = () => done();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  happened.catch(() => {});
  return { happened, stop };
}
