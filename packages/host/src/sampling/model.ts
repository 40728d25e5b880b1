import type { CreateMessageParams, CreateMessageResult } from 'tenon';

/** Content types that a model supports in addition to text. The broker never passes other content to it. */
export interface ModelInputs {
  readonly images?: boolean | undefined;
  readonly audio?: boolean | undefined;
  readonly tools?: boolean | undefined;
}

/** Scores of a model relative to the others, from 0 (worst) to 1 (best). Default 0.5 each. */
export interface Scores {
  /**
   * Cost score. 1 is the cheapest.
   * @default 0.5
   */
  readonly cost?: number | undefined;
  /**
   * Speed score. 1 is the fastest.
   * @default 0.5
   */
  readonly speed?: number | undefined;
  readonly intelligence?: number | undefined;
}

export interface Generating {
  /** Aborted when no caller waits for the result. */
  readonly signal: AbortSignal;
  /** Reports the tokens of prompt and response together. If it is not called, the broker estimates them. */
  readonly spent?: ((tokens: number) => void) | undefined;
}

/**
 * Language model for sampling requests of servers. `createModel` of `@tenon/ai` creates one from a model of the AI SDK.
 */
export interface Model {
  /** Name of the model, which is compared with the model hints of servers and shown to reviewers. */
  readonly name: string;
  /**
   * Names of models that this model can replace. A hint with one of these names matches this model.
   * @default none
   */
  readonly replaces?: readonly string[] | undefined;
  /**
   * Content types that the model supports in addition to text.
   * @default none
   */
  readonly takes?: ModelInputs | undefined;
  /**
   * Cost, speed and intelligence of the model, which are compared with the preferences of servers.
   * @default 0.5 each
   */
  readonly scores?: Scores | undefined;
  /** Generates a message. It must not exceed `maxTokens`, and may ignore other parameters that it does not support. */
  generate(request: CreateMessageParams, about: Generating): Promise<CreateMessageResult>;
}
