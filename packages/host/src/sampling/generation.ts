import { type Clock, TenonError } from '@tenon/base';
import type { CreateMessageParams, CreateMessageResult } from 'tenon';
import { estimateRequestTokens } from './content.js';
import { formatErrorExcerpt } from './error-excerpt.js';
import { withGenerationTimeout } from './generation-timeout.js';
import type { Model } from './model.js';

/**
 * Runs the model and reports the cost to `pay`: the tokens that the model reports, else an estimate. An aborted or
 * timed-out request costs the maximum, because the model may have done all the work.
 */
export async function askModel(
  model: Model,
  request: CreateMessageParams,
  signal: AbortSignal,
  { timeout, clock }: { readonly timeout: number; readonly clock: Clock },
  pay: (tokens: number) => void,
): Promise<CreateMessageResult> {
  let reported: number | undefined;
  const reportTokens = (tokens: number) => {
    if (Number.isFinite(tokens) && tokens >= 0) reported = tokens;
  };
  const prompt = estimateRequestTokens(request);
  try {
    const work = async (own: AbortSignal) => model.generate(request, { signal: own, spent: reportTokens });
    const answer = await withGenerationTimeout(work, { signal, clock, ms: timeout, peer: model.name });
    pay(reported ?? prompt + estimateRequestTokens(answer));
    return answer;
  } catch (error) {
    const isUnfinished =
      TenonError.is(error) && (error.code === 'sampling/timeout' || error.code === 'sampling/aborted');
    pay(reported ?? (isUnfinished ? prompt + request.maxTokens : 0));
    throw TenonError.is(error) ? error : createFailedError(error, model.name);
  }
}

/**
 * Creates the error of a failed generation. It contains only an excerpt of the message, because errors of a provider's
 * client may contain the whole request and its headers.
 */
function createFailedError(error: unknown, peer: string): TenonError {
  const text = error instanceof Error ? error.message : 'the thrown value is not an error';
  return new TenonError('model/failed', 'the request to the model failed', {
    peer,
    method: 'sampling/createMessage',
    received: formatErrorExcerpt(text) || undefined,
    hint: 'check the configuration of the model, such as its API key, then try again',
  });
}
