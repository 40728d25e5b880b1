import { Command } from 'commander';

/** A command, with what all have. */
export function createCommand(name: string, summary: string): Command {
  return new Command(name)
    .summary(summary)
    .description(summary)
    .option('--verbose', 'print the code and the stack of errors')
    .showHelpAfterError('(see --help)');
}

/** Examples below the help of a command: what is typed, and what it does. */
export function formatExamples(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([typed]) => typed.length));
  return ['', 'Examples:', ...rows.map(([typed, does]) => `  ${typed.padEnd(width)}   ${does}`)].join('\n');
}
