import type { Clock } from '../../cancellation/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/input-requests.js';
import { estimateTokens } from './content.js';
import { formatErrorExcerpt } from './excerpt.js';
import type { Model } from './model.js';
import { withGenerationTimeout } from './patience.js';

/**
 * Asks the model, and tells what that has cost: what the model says, else an estimate. Where nobody waited for the end
 * it is all that it may have cost: who asks and then hangs up has not asked for nothing.
 */
export async function ask(
  model: Model,
  request: CreateMessageParams,
  signal: AbortSignal,
  { timeout, clock }: { readonly timeout: number; readonly clock: Clock },
  pay: (tokens: number) => void,
): Promise<CreateMessageResult> {
  let said: number | undefined;
  const spent = (tokens: number) => {
    if (Number.isFinite(tokens) && tokens >= 0) said = tokens;
  };
  const prompt = estimateTokens(request);
  try {
    const work = async (own: AbortSignal) => model.generate(request, { signal: own, spent });
    const answer = await withGenerationTimeout(work, { signal, clock, ms: timeout, peer: model.name });
    pay(said ?? prompt + estimateTokens(answer));
    return answer;
  } catch (error) {
    const given = TenonError.is(error) && (error.code === 'sampling/late' || error.code === 'sampling/aborted');
    pay(said ?? (given ? prompt + request.maxTokens : 0));
    throw TenonError.is(error) ? error : failed(error, model.name);
  }
}

/** What a client of a provider throws may hold the whole request, headers too: its words are kept, and few of them. */
function failed(error: unknown, peer: string): TenonError {
  const text = error instanceof Error ? error.message : 'something was thrown that is no error';
  return new TenonError('model/failed', `the model could not be asked: ${formatErrorExcerpt(text)}`, {
    peer,
    method: 'sampling/createMessage',
  });
}
