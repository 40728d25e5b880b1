import { TenonError } from '../../jsonrpc/error.js';
import type { MaybePromise } from '../../jsonrpc/then-maybe.js';
import type { Optional } from '../../protocol/defaults.js';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/input-requests.js';
import type { Model } from './model.js';

/** A text, or as much of a result as matters: the rest is filled in. */
export type ScriptedAnswer = string | Pick<CreateMessageResult, 'content'> | CreateMessageResult;

export interface ScriptedModel extends Model {
  /** What it was asked so far. */
  readonly requests: readonly CreateMessageParams[];
}

export interface ScriptedOptions extends Optional<Omit<Model, 'generate'>> {
  /** Tokens that each answer is said to have used. Default: it says nothing. */
  readonly spends?: number | undefined;
}

/**
 * A model for tests and demonstrations: gives the answers one after the other, or those that a function makes of the
 * requests. It takes everything unless told otherwise. Throws `model/script-over` when it has no answer left.
 */
export function scriptedModel(
  answers:
    | readonly ScriptedAnswer[]
    | ((request: CreateMessageParams, signal: AbortSignal) => MaybePromise<ScriptedAnswer>),
  { name = 'scripted', takes = { images: true, audio: true, tools: true }, spends, ...rest }: ScriptedOptions = {},
): ScriptedModel {
  const requests: CreateMessageParams[] = [];
  return {
    ...rest,
    name,
    takes,
    requests,
    async generate(request, { signal, spent }) {
      requests.push(JSON.parse(JSON.stringify(request)) as CreateMessageParams);
      const next = typeof answers === 'function' ? await answers(request, signal) : answers[requests.length - 1];
      if (next === undefined)
        throw new TenonError('model/script-over', `the script has no answer to request ${requests.length}`, {
          peer: name,
          hint: 'give `scriptedModel` as many answers as it is asked for',
        });
      if (spends !== undefined) spent?.(spends);
      const content = typeof next === 'string' ? { type: 'text' as const, text: next } : next.content;
      const uses = [content].flat().some(({ type }) => type === 'tool_use');
      const given = typeof next === 'string' ? {} : next;
      return { role: 'assistant', model: name, stopReason: uses ? 'toolUse' : 'endTurn', ...given, content };
    },
  };
}
