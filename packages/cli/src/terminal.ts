import type { Readable, Writable } from 'node:stream';
import type { CANCEL_SYMBOL, CommonOptions } from '@clack/prompts';
import { escapeForTerminal } from '@tenon/base/writers';
import type { Screen } from './screen.js';

export interface Question {
  readonly message: string;
  /** Text above the message, of any length. It is written once, because the prompt below is redrawn at each key. */
  readonly details?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SecretQuestion extends Question {
  /** Returns the reason why a text is not valid. The user can then correct it. */
  readonly validate?: ((text: string) => string | undefined | Promise<string | undefined>) | undefined;
}

export interface TextQuestion extends SecretQuestion {
  /** Text that the user can change. */
  readonly initial?: string | undefined;
  /** Answer if the user enters nothing. It is shown while nothing is entered. */
  readonly fallback?: string | undefined;
}

export interface ConfirmQuestion extends Question {
  /** @default `false` */
  readonly initial?: boolean | undefined;
}

export interface SelectQuestion<T> extends Question {
  readonly options: readonly SelectOption<T>[];
  /** @default the first option */
  readonly initial?: T | undefined;
}

export interface SelectSeveralQuestion<T> extends Question {
  readonly options: readonly SelectOption<T>[];
  /** @default none */
  readonly initial?: readonly T[] | undefined;
  /**
   * Accepts an answer without an option.
   * @default `false`
   */
  readonly allowNone?: boolean | undefined;
}

export interface SelectOption<T> {
  readonly value: T;
  readonly label: string;
}

/**
 * Terminal of the user, if there is one. Each question resolves with `undefined` when there is no answer: the user
 * pressed Escape or Ctrl-D, the signal was aborted, or there is no terminal. Concurrent questions wait for each other.
 * Ctrl-C ends the program.
 */
export interface Terminal {
  /** True if standard input is a terminal. */
  readonly interactive: boolean;
  /** Asks for a line of text, which may be empty. */
  askText(question: TextQuestion): Promise<string | undefined>;
  /** Asks for a line of text that is not shown. */
  askSecret(question: SecretQuestion): Promise<string | undefined>;
  /** Asks for yes or no. The keys `y` and `n` answer at once, and Enter selects the initial answer. */
  confirm(question: ConfirmQuestion): Promise<boolean | undefined>;
  /** Asks for one of the options. */
  select<T>(question: SelectQuestion<T>): Promise<T | undefined>;
  /** Asks for some of the options. */
  selectSeveral<T>(question: SelectSeveralQuestion<T>): Promise<T[] | undefined>;
  /**
   * Reserves standard input for a protocol. The command cannot ask the user afterwards. Resolves when an open question
   * has ended.
   */
  releaseStdin(): Promise<void>;
}

type TerminalInput = Readable & { readonly isTTY?: boolean };
type TerminalOutput = Writable & { readonly isTTY?: boolean; columns?: number };
interface TerminalStreams {
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  readonly screen: Pick<Screen, 'holdOutput'>;
}
type Prompts = typeof import('@clack/prompts');
type ShowPrompt<T> = (prompts: Prompts, options: CommonOptions) => Promise<T | typeof CANCEL_SYMBOL>;

const DEFAULT_COLUMNS = 80;
const CTRL_D = '\u0004';

export function createTerminal(
  input: TerminalInput,
  output: TerminalOutput,
  screen: TerminalStreams['screen'],
): Terminal {
  const released = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  const isAvailable = () => input.isTTY === true && output.isTTY === true && input.readable && !released.signal.aborted;

  const ask = <T>(question: Question, showPrompt: ShowPrompt<T>): Promise<T | undefined> => {
    const answer = last.then(() => {
      const signals = question.signal ? [question.signal, released.signal] : [released.signal];
      const signal = AbortSignal.any(signals);
      return isAvailable() && !signal.aborted
        ? askOnce({ input, output, screen }, { ...question, signal }, showPrompt)
        : undefined;
    });
    last = answer.catch(() => {});
    return answer;
  };

  return {
    get interactive() {
      return isAvailable();
    },
    askText: ({ initial = '', fallback = '', ...question }) =>
      ask(question, (prompts, options) =>
        prompts.text({
          ...options,
          message: escapeForTerminal(question.message),
          initialValue: initial,
          placeholder: escapeForTerminal(fallback),
          defaultValue: fallback,
          ...toValidate(question),
        }),
      ),
    askSecret: question =>
      ask(question, (prompts, options) =>
        prompts.password({ ...options, message: escapeForTerminal(question.message), ...toValidate(question) }),
      ),
    confirm: question =>
      ask(question, (prompts, options) =>
        prompts.confirm({
          ...options,
          message: escapeForTerminal(question.message),
          initialValue: question.initial === true,
        }),
      ),
    async select({ options: choices, initial, ...question }) {
      const index = await ask(question, (prompts, options) =>
        prompts.select({
          ...options,
          message: escapeForTerminal(question.message),
          options: choices.map(({ label }, value) => ({ value, label: escapeForTerminal(label) })),
          initialValue: choices.findIndex(({ value }) => value === initial),
        }),
      );
      return index === undefined ? undefined : choices[index]?.value;
    },
    async selectSeveral({ options: choices, initial = [], allowNone = false, ...question }) {
      const indexes = await ask(question, (prompts, options) =>
        prompts.multiselect({
          ...options,
          message: escapeForTerminal(question.message),
          options: choices.map(({ label }, value) => ({ value, label: escapeForTerminal(label) })),
          initialValues: choices.flatMap(({ value }, index) => (initial.includes(value) ? [index] : [])),
          required: !allowNone,
        }),
      );
      return indexes && choices.filter((_, index) => indexes.includes(index)).map(({ value }) => value);
    },
    async releaseStdin() {
      released.abort();
      await last;
    },
  };
}

const toValidate = ({ validate }: SecretQuestion) =>
  validate ? { validate: (text: string | undefined) => validate(text ?? '') } : {};

async function askOnce<T>(
  { input, output, screen }: TerminalStreams,
  { details, signal }: Question & { readonly signal: AbortSignal },
  showPrompt: ShowPrompt<T>,
): Promise<T | undefined> {
  const prompts = await import('@clack/prompts');
  const { aliases } = prompts.settings;
  aliases.set(CTRL_D, 'cancel');
  // These keys move the selection, so that a word such as "always" would select another option.
  for (const letter of 'hjkl') aliases.delete(letter);
  // A terminal without a size has 0 columns, and the prompt would write one character a line.
  if (output.columns === 0) output.columns = DEFAULT_COLUMNS;
  const ended = new AbortController();
  const onEnd = () => ended.abort();
  let isInterrupted = false;
  const onKeypress = (_: string, { ctrl, name }: { readonly ctrl?: boolean; readonly name?: string }) => {
    if (ctrl && name === 'c') isInterrupted = true;
  };
  const releaseOutput = screen.holdOutput();
  input.on('keypress', onKeypress).on('end', onEnd).on('close', onEnd);
  try {
    if (details !== undefined) output.write(`${escapeForTerminal(details)}\n`);
    const answer = await showPrompt(prompts, { input, output, signal: AbortSignal.any([signal, ended.signal]) });
    return prompts.isCancel(answer) ? undefined : answer;
  } finally {
    input.off('keypress', onKeypress).off('end', onEnd).off('close', onEnd);
    releaseOutput();
    if (isInterrupted) endProgram();
  }
}

/**
 * Ends the program as Ctrl-C does outside of a question. The listeners run at once, because a signal may arrive after the
 * command has continued without the answer.
 */
function endProgram(): void {
  if (process.listenerCount('SIGINT') > 0) process.emit('SIGINT', 'SIGINT');
  else process.kill(process.pid, 'SIGINT');
}
