import type { ClientOptions, ElicitFormParams, ElicitResult, ElicitUrlParams } from 'tenon';
import type { CliContext } from '../cli-context.js';

/** Input requests of a server during a call. */
export interface Questions {
  /** Handlers for `connect`. */
  readonly handlers: QuestionHandlers;
  /** True if a user at a terminal answers. */
  readonly isInteractive: boolean;
  /** Resolves with the params of the first input request that stays open. Never resolves while a user answers. */
  readonly opened: Promise<OpenQuestion>;
}

/** Handlers for the elicitations of a server. */
export interface QuestionHandlers {
  readonly elicit: NonNullable<ClientOptions['elicit']>;
  readonly elicitUrl: NonNullable<ClientOptions['elicitUrl']>;
}

/** Params of an elicitation without an answer. */
export type OpenQuestion = ElicitFormParams | ElicitUrlParams;

/**
 * Creates the handlers that ask the user on a terminal. Without a terminal, input requests stay open, and the command
 * lets the call wait or refuses it.
 */
export function createQuestions(context: CliContext, { input = true }: { readonly input?: boolean }): Questions {
  if (input && context.terminal.interactive) {
    return {
      isInteractive: true,
      opened: new Promise(() => {}),
      handlers: {
        elicit: async (form, info) => (await import('./ask-user.js')).askForm(context, form, info),
        elicitUrl: async (question, info) => (await import('./ask-user.js')).askUrl(context, question, info),
      },
    };
  }
  let open = (_: OpenQuestion) => {};
  const opened = new Promise<OpenQuestion>(resolve => {
    open = resolve;
  });
  const keepOpen = (question: OpenQuestion) => {
    open(question);
    return new Promise<ElicitResult>(() => {});
  };
  return { isInteractive: false, opened, handlers: { elicit: keepOpen, elicitUrl: keepOpen } };
}
