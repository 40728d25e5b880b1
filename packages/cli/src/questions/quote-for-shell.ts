/** Quotes a word of a command line for a POSIX shell, unless it consists of letters, digits, `_`, `.` and `-`. */
export function quoteForShell(word: string): string {
  return /^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
