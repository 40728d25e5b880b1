import type { Asked } from '../../conversation/asking/asking.js';
import { isAsked } from '../../conversation/asking/journal.js';
import { INVALID_PARAMS } from '../../jsonrpc/codes.js';
import { rpcError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { InputResponses } from '../../model/asking.js';
import { within } from '../../model/check.js';
import { methods } from '../../model/methods.js';
import type { Maker } from './making.js';
import { changed, type TaskRecord } from './record.js';
import type { Shelf } from './shelf.js';

export type Outcome = Pick<Asked, 'answer' | 'refused'>;

/** Takes answers from outside. What nobody asked, or no longer, is left out; one that is no answer is refused, and all with it. */
export function answer(maker: Maker, shelf: Shelf, id: string, responses: InputResponses): Promise<void> {
  return settle(maker, shelf, id, ({ questions }) => {
    const given = Object.keys(questions).filter(key => Object.hasOwn(responses, key));
    for (const key of given) checkAnswer(questions[key]?.method, key, responses[key]);
    return new Map(given.map(key => [key, { answer: responses[key] as unknown as JsonObject }]));
  });
}

/** Takes what became of one question. */
export function answerOne(maker: Maker, shelf: Shelf, id: string, key: string, outcome: Outcome): Promise<void> {
  return settle(maker, shelf, id, ({ questions }) =>
    Object.hasOwn(questions, key) ? new Map([[key, outcome]]) : new Map(),
  );
}

function checkAnswer(method: string | undefined, key: string, given: unknown): void {
  const problem = methods[method as keyof typeof methods].result(given);
  const where = problem && within(`/inputResponses/${key}`, problem);
  if (where || !isObject(given)) throw rpcError(INVALID_PARAMS, `Invalid params: ${where ?? 'no object'}`);
}

/** Writes down what became of questions; whoever works on the task goes on with it. */
async function settle(
  { house, worker }: Maker,
  shelf: Shelf,
  id: string,
  settledIn: (record: TaskRecord) => ReadonlyMap<string, Outcome>,
): Promise<void> {
  const record = await shelf.amend(id, before => {
    const settled = settledIn(before);
    return settled.size === 0 ? undefined : without(before, settled, house.clock.now());
  });
  if (record?.status === 'working') await worker.wake(id);
}

function without(record: TaskRecord, settled: ReadonlyMap<string, Outcome>, now: number): TaskRecord {
  const journal = record.journal.map(entry => (isAsked(entry) ? { ...entry, ...settled.get(entry.ask) } : entry));
  const questions = Object.fromEntries(Object.entries(record.questions).filter(([key]) => !settled.has(key)));
  const status = Object.keys(questions).length === 0 ? 'working' : 'input_required';
  return changed(record, now, { journal, questions, status });
}
