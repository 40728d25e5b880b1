import { type AskInput, sanitizeText } from 'tenon/host';
import type { CliContext } from '../cli-context.js';

/** Creates a function that asks the user for the value of an input. Without a terminal, nobody is asked. */
export function createInputPrompt({ terminal }: Pick<CliContext, 'terminal'>): AskInput {
  return async ({ id, description, password, options, default: fallback }) => {
    const label = sanitizeText(description ?? id, { max: 500 });
    const choice =
      options === undefined ? '' : ` (${options.map(each => sanitizeText(each, { max: 100 })).join(', ')})`;
    const usual = fallback === undefined || password ? '' : ` [${sanitizeText(fallback, { max: 100 })}]`;
    const answer = await terminal.ask(`${label}${choice}${usual}: `, { hidden: password });
    return answer === '' ? undefined : answer;
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
