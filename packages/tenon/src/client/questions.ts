import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { type Answering, answer } from './answering.js';
import type { Link } from './link.js';
import type { Asked } from './options.js';

/** How often a server may ask within one call. */
const MAX_ROUNDS = 10;

export function mostRounds({ maxRounds = MAX_ROUNDS }: { readonly maxRounds?: number | undefined }): number {
  return maxRounds;
}

/** Answers what the server asks by a result, with the handler that answers its requests. */
export async function answerTo(
  { method, params }: { readonly method: string; readonly params?: object | undefined },
  { peer }: Pick<Link, 'peer'>,
  answers: Answering,
  about: Pick<Asked, 'signal' | 'task'>,
): Promise<JsonObject> {
  try {
    return await answer(method, (params ?? {}) as JsonObject, answers, { ...about, server: peer, progress: () => {} });
  } catch (error) {
    throw new TenonError('call/cannot-answer', `the server asked ${method}, which could not be answered`, {
      peer,
      got: TenonError.is(error) ? error.message : undefined,
      next: 'give `connect` a handler for it, or make the call with `manual: true` and answer yourself',
      cause: error,
    });
  }
}

export function tooManyRounds({ peer }: Pick<Link, 'peer'>, most: number): TenonError {
  return new TenonError('call/too-many-rounds', `the server still asks after ${most} rounds`, {
    peer,
    next: 'raise `maxRounds` if the server has reason to ask that often',
  });
}

/** The caller's signal ends the wait, whatever becomes of the work. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined, peer: string): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () =>
      reject(new TenonError('call/aborted', 'the caller gave the call up', { peer, cause: signal.reason }));
    const rest = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(rest);
    if (signal.aborted) abort();
  });
}
