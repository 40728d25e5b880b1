import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** What is typed is not to be seen. */
  readonly hidden?: boolean | undefined;
}

/** The accepted words of each choice. */
export type ChoiceWords<K extends string> = Readonly<Record<K, readonly string[]>>;

export const YES_OR_NO: ChoiceWords<'yes' | 'no'> = { yes: ['y', 'yes'], no: ['n', 'no'] };

/** The person in front, if there is one. */
export interface Terminal {
  /** Whether there is somebody to ask. */
  readonly interactive: boolean;
  /** Asks one question after the other, however many are put at once. `undefined`: there was no answer. */
  ask(question: string, options?: AskOptions): Promise<string | undefined>;
  /**
   * Asks until one of the accepted words is typed, in upper or lower case, and returns its key. Other words that begin
   * with an accepted one are not accepted. `undefined`: no answer.
   */
  choose<K extends string>(question: string, words: ChoiceWords<K>, options?: AskOptions): Promise<K | undefined>;
  /** From here on standard input belongs to a protocol: nobody can be asked any more. */
  yield(): void;
}

type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };
type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** How often a question is put that is answered by something else. */
const MOST_TRIES = 5;

export function createTerminal(input: Input, output: Output): Terminal {
  let isOurs = input.isTTY === true && output.isTTY === true;
  let last: Promise<unknown> = Promise.resolve();

  const ask = (question: string, options: AskOptions = {}): Promise<string | undefined> => {
    const answer = last.then(() =>
      isOurs && !options.signal?.aborted ? put(input, output, question, options) : undefined,
    );
    last = answer.catch(() => {});
    return answer;
  };

  return {
    get interactive() {
      return isOurs;
    },
    ask,
    async choose<K extends string>(question: string, words: ChoiceWords<K>, options?: AskOptions) {
      const keys = Object.keys(words) as K[];
      const hint = `Type ${keys.map(key => words[key].at(-1)).join(', ')}.\n`;
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const answer = await ask(tries === 0 ? question : hint + question, options);
        if (answer === undefined) return undefined;
        const key = keys.find(each => words[each].includes(answer.trim().toLowerCase()));
        if (key !== undefined) return key;
      }
      return undefined;
    },
    yield() {
      isOurs = false;
    },
  };
}

function put(input: Input, output: Output, question: string, options: AskOptions): Promise<string | undefined> {
  const { signal, hidden = false } = options;
  output.write(question);
  return new Promise(resolve => {
    // What is typed is echoed by the terminal's own line; a hidden answer is read with the echo thrown away.
    const echo = hidden ? nowhere() : output;
    const lines = createInterface({ input, output: echo, terminal: input.isTTY === true });
    let isOver = false;
    const end = (answer: string | undefined) => {
      if (isOver) return;
      isOver = true;
      signal?.removeEventListener('abort', gone);
      lines.close();
      if (hidden || answer === undefined) output.write('\n');
      resolve(answer);
    };
    const gone = () => end(undefined);
    signal?.addEventListener('abort', gone);
    lines.once('line', line => end(line));
    lines.once('close', () => end(undefined));
    // Ctrl-C while a question stands ends the program, not the question.
    lines.once('SIGINT', () => {
      end(undefined);
      process.kill(process.pid, 'SIGINT');
    });
  });
}

function nowhere(): NodeJS.WritableStream {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
