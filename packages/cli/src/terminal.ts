import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Hides the typed text.
   * @default `false`
   */
  readonly hidden?: boolean | undefined;
}

/** Accepted inputs of each choice. */
export type ChoiceInputs<K extends string> = Readonly<Record<K, readonly string[]>>;

export const YES_OR_NO: ChoiceInputs<'yes' | 'no'> = { yes: ['y', 'yes'], no: ['n', 'no'] };

/** Terminal of the user, if there is one. */
export interface Terminal {
  /** True if standard input is a terminal. */
  readonly interactive: boolean;
  /**
   * Asks a question and resolves with the answer. Concurrent questions wait for each other. Resolves with `undefined`
   * when there is no answer.
   */
  ask(question: string, options?: AskOptions): Promise<string | undefined>;
  /**
   * Asks until the user types one of the accepted inputs, in upper or lower case, and returns its key. Longer inputs
   * that begin with an accepted one are not accepted. Resolves with `undefined` when there is no answer.
   */
  choose<K extends string>(question: string, inputs: ChoiceInputs<K>, options?: AskOptions): Promise<K | undefined>;
  /** Reserves standard input for a protocol. The command cannot ask the user afterwards. */
  releaseStdin(): void;
}

type TerminalInput = NodeJS.ReadableStream & { readonly isTTY?: boolean };
type TerminalOutput = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** Maximum number of times that a question is repeated after an invalid answer. */
const MAX_TRIES = 5;

export function createTerminal(input: TerminalInput, output: TerminalOutput): Terminal {
  let isAvailable = input.isTTY === true && output.isTTY === true;
  let last: Promise<unknown> = Promise.resolve();

  const ask = (question: string, options: AskOptions = {}): Promise<string | undefined> => {
    const answer = last.then(() =>
      isAvailable && !options.signal?.aborted ? askOnce(input, output, question, options) : undefined,
    );
    last = answer.catch(() => {});
    return answer;
  };

  return {
    get interactive() {
      return isAvailable;
    },
    ask,
    async choose<K extends string>(question: string, inputs: ChoiceInputs<K>, options?: AskOptions) {
      const keys = Object.keys(inputs) as K[];
      const hint = `Type ${keys.map(key => inputs[key].at(-1)).join(', ')}.\n`;
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const answer = await ask(tries === 0 ? question : hint + question, options);
        if (answer === undefined) return undefined;
        const key = keys.find(each => inputs[each].includes(answer.trim().toLowerCase()));
        if (key !== undefined) return key;
      }
      return undefined;
    },
    releaseStdin() {
      isAvailable = false;
    },
  };
}

function askOnce(
  input: TerminalInput,
  output: TerminalOutput,
  question: string,
  options: AskOptions,
): Promise<string | undefined> {
  const { signal, hidden = false } = options;
  output.write(question);
  return new Promise(resolve => {
    // `readline` echoes the input. For a hidden answer, a null output discards the echo.
    const echo = hidden ? createNullOutput() : output;
    const lines = createInterface({ input, output: echo, terminal: input.isTTY === true });
    let isDone = false;
    const end = (answer: string | undefined) => {
      if (isDone) return;
      isDone = true;
      signal?.removeEventListener('abort', onAbort);
      lines.close();
      if (hidden || answer === undefined) output.write('\n');
      resolve(answer);
    };
    const onAbort = () => end(undefined);
    signal?.addEventListener('abort', onAbort);
    lines.once('line', line => end(line));
    lines.once('close', () => end(undefined));
    // Ctrl-C during a question ends the program, not only the question.
    lines.once('SIGINT', () => {
      end(undefined);
      process.kill(process.pid, 'SIGINT');
    });
  });
}

function createNullOutput(): NodeJS.WritableStream {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
