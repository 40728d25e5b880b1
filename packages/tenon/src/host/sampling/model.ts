import type { CreateMessageParams, CreateMessageResult } from '../../protocol/input-requests.js';

/** Inputs that a model supports beside text. A request with another input is never given to it. */
export interface ModelInputs {
  readonly images?: boolean | undefined;
  readonly audio?: boolean | undefined;
  readonly tools?: boolean | undefined;
}

/** Compares a model with the others: each score is from 0 (worst) to 1 (best). Default 0.5. */
export interface Scores {
  /** 1 is the cheapest. */
  readonly cost?: number | undefined;
  /** 1 is the fastest. */
  readonly speed?: number | undefined;
  readonly intelligence?: number | undefined;
}

export interface Generating {
  /** Aborted when no caller waits for the answer. */
  readonly signal: AbortSignal;
  /** Reports the tokens of prompt and answer together. Without a call they are estimated. */
  readonly spent?: ((tokens: number) => void) | undefined;
}

/**
 * A language model for sampling requests of servers. `createModel` of `@tenon/ai` makes one of any model of the AI SDK.
 */
export interface Model {
  /** Compared with the hints of servers, and shown to reviewers. */
  readonly name: string;
  /** Names of models that it can replace: a hint at one of them counts as a hint at this model. */
  readonly standsFor?: readonly string[] | undefined;
  /** Inputs that the model supports beside text. Default: none. */
  readonly takes?: ModelInputs | undefined;
  /** Cost, speed and intelligence of the model, for the preferences of servers. */
  readonly scores?: Scores | undefined;
  /** Generates a message. It must not exceed `maxTokens`, and may ignore other parameters that it does not support. */
  generate(request: CreateMessageParams, about: Generating): Promise<CreateMessageResult>;
}
