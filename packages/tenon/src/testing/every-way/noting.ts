import { answer } from '../../client/answering.js';
import type { Answers } from '../../client/options.js';
import type { Clock } from '../../jsonrpc/clock.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Observation } from './observation.js';
import type { Replica } from './replica.js';

export type Questions = { readonly [key: string]: { readonly method: string; readonly params?: JsonObject } };

/** The answers of a client to one process, and a note of each question. */
export function noted(answers: Answers, way: Observation, replica: Replica): Answers {
  const { elicit, elicitUrl, sample, roots, ...rest } = answers;
  const note = (method: string, params: object, go: () => unknown) =>
    way.asked(method, params as JsonObject, replica, go);
  return {
    ...rest,
    ...(elicit && { elicit: (params, about) => note('elicitation/create', params, () => elicit(params, about)) }),
    ...(elicitUrl && {
      elicitUrl: (params, about) => note('elicitation/create', params, () => elicitUrl(params, about)),
    }),
    ...(sample && { sample: (params, about) => note('sampling/createMessage', params, () => sample(params, about)) }),
    ...(roots && { roots: () => note('roots/list', {}, () => (typeof roots === 'function' ? roots() : roots)) }),
  };
}

/** Answers what is asked by a result, all of it at once. */
export async function answersTo(questions: Questions, answers: Answers, clock: Clock): Promise<JsonObject> {
  const about = { signal: new AbortController().signal, server: 'every-way', progress: () => {} };
  const all = Object.entries(questions).map(
    async ([key, { method, params = {} }]) =>
      [key, await answer(method, params, { ...answers, clock }, about)] as const,
  );
  return Object.fromEntries(await Promise.all(all));
}
