import { escapeInvisible, hasInvisible } from '../invisible-characters.js';

const MAX_SHORT_CODE = 0xffff;
/** Words that no POSIX shell interprets. zsh expands `=` at the beginning, and each shell `~`. */
const PLAIN_WORD = /^(?!=)[\w%+=:,./@-]+$/;

/**
 * Quotes a word for a POSIX shell, unless the shell takes it as it is. A word with control characters or invisible
 * characters is written as `$'\u202e'`, which bash, zsh and ksh read.
 */
export function quoteForShell(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  if (!hasInvisible(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  return `$'${[...word].map(escapeCharacterForShell).join('')}'`;
}

/** Writes a command line for a POSIX shell. Each argument can be told apart. */
export function writeCommandLine(words: readonly string[]): string {
  return words.map(quoteForShell).join(' ');
}

/** Quotes a word for PowerShell, which takes typographic quotation marks for single quotes. */
export function quoteForPowerShell(word: string): string {
  if (/^[\w%+=:./-]+$/.test(word)) return word;
  return `'${escapeInvisible(word).replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}

/** Quotes a word for fish, in whose single quotes a backslash escapes itself and the quote. */
export function quoteForFish(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  // An escape of a character must stand outside of quotes.
  const characters = [...word].map(each =>
    hasInvisible(each) ? `'${escapeCharacterForFish(each)}'` : each.replace(/['\\]/, '\\$&'),
  );
  return `'${characters.join('')}'`;
}

/** Shells for which words are written. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** Part of a word: a text, or the value of an environment variable. */
export type WordPart = string | { readonly variable: string };

/** Writes a word of a command line. Variables in it are replaced by the shell, and stay parts of the word. */
export function writeShellWord(parts: readonly WordPart[], shell: Shell): string {
  const isPowerShell = shell === 'powershell';
  const quote = isPowerShell ? quoteForPowerShell : shell === 'fish' ? quoteForFish : quoteForShell;
  const written = parts
    .filter(part => part !== '')
    .map(part => {
      if (typeof part === 'string') return parts.length > 1 && isPowerShell ? quoteAlways(part) : quote(part);
      return isPowerShell ? `$env:${part.variable}` : `"$${part.variable}"`;
    });
  if (written.length === 0) return "''";
  return isPowerShell && written.length > 1 ? `(${written.join(' + ')})` : written.join('');
}

/** In an expression of PowerShell, a text without quotes would be a command. */
const quoteAlways = (text: string): string => {
  const quoted = quoteForPowerShell(text);
  return quoted.startsWith("'") ? quoted : `'${quoted}'`;
};

/** Escapes a word for a completion of Bash, which reads backslashes. */
export function escapeForBash(word: string): string {
  return word.replace(/[^\w@%+=:,./~{}-]/g, '\\$&');
}

/**
 * Checks if `cmd` of Windows passes a word on as it is. `cmd` replaces variables in quotes too, and batch files read the
 * word a second time, so that no way to quote it is safe.
 */
export function isSafeForCmd(word: string): boolean {
  return !/[%^&|<>!\r\n]/.test(word) && !hasInvisible(word);
}

function escapeCharacterForFish(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code < 0x80) return `\\x${digits.padStart(2, '0')}`;
  return code > MAX_SHORT_CODE ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
}

function escapeCharacterForShell(character: string): string {
  if (character === '\\' || character === "'") return `\\${character}`;
  if (!hasInvisible(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return code > MAX_SHORT_CODE ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
}
