import type { CreateMessageParams, CreateMessageResult } from '../../protocol/input-requests.js';

/** What a model can be given. What is absent or `false` it is never given. */
export interface Takes {
  readonly images?: boolean | undefined;
  readonly audio?: boolean | undefined;
  readonly tools?: boolean | undefined;
}

/** How a model compares with the others, each from 0 (worst) to 1 (best). Absent: 0.5. */
export interface Scores {
  /** 1 is the cheapest. */
  readonly cost?: number | undefined;
  /** 1 is the fastest. */
  readonly speed?: number | undefined;
  readonly intelligence?: number | undefined;
}

export interface Generating {
  /** Aborted when nobody waits for the answer any longer. */
  readonly signal: AbortSignal;
  /** Takes how many tokens were used in all, prompt and answer. Where it is not called they are estimated. */
  readonly spent?: ((tokens: number) => void) | undefined;
}

/** A language model that servers may be lent. `anthropicModel`, `openaiModel`, `geminiModel` and `scriptedModel` make some. */
export interface Model {
  /** What hints are compared with, and what reviewers are shown. */
  readonly name: string;
  /** Models of others that it stands in for: hints at them are hints at it. */
  readonly standsFor?: readonly string[] | undefined;
  /** Content that the model accepts. Default: text only. */
  readonly takes?: Takes | undefined;
  /** Cost, speed and intelligence of the model, for the preferences of servers. */
  readonly scores?: Scores | undefined;
  /** Asks the model. `maxTokens` is never to be exceeded; what else it cannot do it may leave out. */
  generate(request: CreateMessageParams, about: Generating): Promise<CreateMessageResult>;
}
