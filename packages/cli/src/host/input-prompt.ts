import { type AskInput, sanitizeText } from '@tenon/host';
import type { CliContext } from '../cli-context.js';

/** Creates a function that asks the user for the value of an input. Without a terminal, nobody is asked. */
export function createInputPrompt({ terminal }: Pick<CliContext, 'terminal'>): AskInput {
  return async ({ id, description, password, options, default: fallback }) => {
    const message = sanitizeText(description ?? id, { max: 500 });
    if (options !== undefined)
      return terminal.select({
        message,
        options: options.map(value => ({ value, label: sanitizeText(value, { max: 100 }) })),
        initial: fallback,
      });
    const shown = fallback === undefined ? undefined : sanitizeText(fallback);
    const answer = await (password ? terminal.askSecret({ message }) : terminal.askText({ message, initial: shown }));
    return answer === '' || (!password && answer === shown) ? undefined : answer;
  };
}

/** Creates a function that asks the user for the value of each input once, also if the files are read again. */
export function createInputMemory(context: CliContext): AskInput {
  const ask = createInputPrompt(context);
  const values = new Map<string, string>();
  return async input => {
    const key = JSON.stringify(input);
    const value = values.get(key) ?? (await ask(input));
    if (value !== undefined) values.set(key, value);
    return value;
  };
}
