import type { ClientOptions, ElicitFormParams, ElicitResult, ElicitUrlParams } from 'tenon';
import type { CliContext } from '../cli-context.js';

/** Requests of a server to the user during a call. */
export interface Questions {
  /** Handlers for `connect`. */
  readonly handlers: QuestionHandlers;
  /** True if a user in front of a terminal answers. */
  readonly isInteractive: boolean;
  /** Resolves with the params of the first question that stays open. Never resolves while users answer. */
  readonly opened: Promise<OpenQuestion>;
}

/** Handlers for the elicitations of a server. */
export interface QuestionHandlers {
  readonly elicit: NonNullable<ClientOptions['elicit']>;
  readonly elicitUrl: NonNullable<ClientOptions['elicitUrl']>;
}

/** Params of an elicitation that nobody has answered. */
export type OpenQuestion = ElicitFormParams | ElicitUrlParams;

/** Asks the user on a terminal. Without one, questions stay open: the command parks the call, or refuses it. */
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
