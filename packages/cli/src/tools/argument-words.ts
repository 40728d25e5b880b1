import { createUsageError } from '../usage-error.js';

/** Argument on the command line. */
export interface ArgumentWord {
  readonly name: string;
  /** `=`: a text. `:=`: JSON. `=@`: the path of a file. */
  readonly operator: '=' | ':=' | '=@';
  readonly text: string;
  /** True for an argument in the form of an option: `--name value`. */
  readonly isOption: boolean;
}

/** Argument that the subject of a command takes. */
export interface KnownParameter {
  readonly name: string;
  /** True if only `true` and `false` are allowed, so that `--name` alone means `true`. */
  readonly isFlag: boolean;
}

/**
 * Splits words into arguments: `name=value`, `name:=json`, `name=@file`, and the spellings of mcporter: `name:value`,
 * `name: value`, `--name value`, `--name=value`, `--name` and `--no-name` for flags.
 *
 * A text that begins with `@` is written with `@@`, or in quotes inside of those of the shell.
 */
export function splitArgumentWords(
  words: readonly string[],
  parameters: readonly KnownParameter[] = [],
): ArgumentWord[] {
  const split: ArgumentWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const next = words[at + 1];
    const [, spaced] = /^([^\s=:"'{[(-][^\s=:]*):$/.exec(word) ?? [];
    const flag = /^--[^\s=]+$/.test(word) ? findFlag(word.slice(2), next, parameters) : undefined;
    if (flag) split.push({ ...flag, operator: '=', isOption: true });
    else if (/^--[^\s=:]+$/.test(word)) {
      const name = findName(word.slice(2), parameters);
      if (next === undefined || next.startsWith('--'))
        throw createUsageError(`no value after ${word}`, `write ${word} VALUE, or ${name}=VALUE`);
      split.push({ ...readText(name, next), isOption: true });
      at += 1;
    } else if (spaced !== undefined && next !== undefined) {
      split.push({ ...readText(spaced, next), isOption: false });
      at += 1;
    } else split.push(splitWord(word, parameters));
  }
  return split;
}

function splitWord(word: string, parameters: readonly KnownParameter[]): ArgumentWord {
  const isOption = /^--./.test(word);
  const plain = isOption ? word.slice(2) : word;
  const [, name, operator, text = ''] = /^([^=]+?)(:=|=)([\s\S]*)$/.exec(plain) ?? [];
  const [, before, after = ''] = /^([^=:]+):(?!\/\/|=)([\s\S]*)$/.exec(plain) ?? [];
  const isKnown = (each: string) => parameters.some(parameter => parameter.name === each);
  // A name may contain a colon, and a value may contain a sign of equality.
  const isColon = before !== undefined && (name === undefined || (!isKnown(name) && isKnown(before)));
  const found = isColon ? before : name;
  if (found === undefined || /^[-"'{[(]/.test(found))
    throw createUsageError(
      `argument without a name: ${word}`,
      'write NAME=VALUE, NAME:=JSON, NAME=@FILE or NAME:=@FILE',
    );
  const resolved = isOption ? findName(found, parameters) : found;
  if (!isColon && operator === ':=') return { name: resolved, operator: ':=', text, isOption };
  return { ...readText(resolved, isColon ? after : text), isOption };
}

/** Reads a value: a text, or the path of a file after `@`. */
function readText(name: string, value: string): Omit<ArgumentWord, 'isOption'> {
  const [, , quoted] = /^(["'])(@[\s\S]*)\1$/.exec(value) ?? [];
  if (quoted !== undefined) return { name, operator: '=', text: quoted };
  if (value.startsWith('@@')) return { name, operator: '=', text: value.slice(1) };
  return value.startsWith('@') ? { name, operator: '=@', text: value.slice(1) } : { name, operator: '=', text: value };
}

/** Returns the value of a flag without one: `--name`, `--no-name`. */
function findFlag(
  option: string,
  next: string | undefined,
  parameters: readonly KnownParameter[],
): Pick<ArgumentWord, 'name' | 'text'> | undefined {
  const getFlag = (name: string) => parameters.find(each => each.isFlag && each.name === findName(name, parameters));
  const flag = getFlag(option);
  if (flag) return next === 'true' || next === 'false' ? undefined : { name: flag.name, text: 'true' };
  const denied = option.startsWith('no-') ? getFlag(option.slice(3)) : undefined;
  return denied && { name: denied.name, text: 'false' };
}

/** Finds the parameter that an option names: `--max-items` may be `maxItems` or `max_items`. */
function findName(option: string, parameters: readonly KnownParameter[]): string {
  const reduce = (name: string) => name.replace(/[-_]/g, '').toLowerCase();
  if (parameters.some(({ name }) => name === option)) return option;
  const [found, other] = parameters.filter(({ name }) => reduce(name) === reduce(option));
  return found && !other ? found.name : option;
}
