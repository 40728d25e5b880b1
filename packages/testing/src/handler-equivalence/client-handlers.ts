import type { Clock, JsonObject } from '@tenon/base';
import type { ClientHandlers } from 'tenon';
import { handleServerRequest } from 'tenon/testing-internals';
import type { Observation } from './observation.js';
import type { Replica } from './replica.js';

export type InputRequestMap = { readonly [key: string]: { readonly method: string; readonly params?: JsonObject } };

/** Creates client handlers that answer the requests of one process and record each input request. */
export function observeClientHandlers(
  answers: ClientHandlers,
  observation: Observation,
  replica: Replica,
): ClientHandlers {
  const { elicit, elicitUrl, sample, roots, ...rest } = answers;
  const note = (method: string, params: object, go: () => unknown) =>
    observation.recordRequest(method, { ...params }, replica, go);
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

/** Answers all input requests of a result at the same time. */
export async function answerRequests(
  requests: InputRequestMap,
  answers: ClientHandlers,
  clock: Clock,
): Promise<JsonObject> {
  const about = { signal: new AbortController().signal, server: 'handler-equivalence', progress: () => {} };
  const all = Object.entries(requests).map(
    async ([key, { method, params = {} }]) =>
      [key, await handleServerRequest(method, params, { ...answers, clock }, about)] as const,
  );
  return Object.fromEntries(await Promise.all(all));
}
