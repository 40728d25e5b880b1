import { Command } from 'commander';

/**
 * Creates a command with the options that all commands have.
 *
 * @param verbose Description of the option `--verbose`.
 */
export function createCommand(
  name: string,
  summary: string,
  verbose = 'print the code and the stack of errors',
): Command {
  return new Command(name)
    .summary(summary)
    .description(summary)
    .option('-v, --verbose', verbose)
    .showHelpAfterError('(see --help)');
}

/**
 * Formats examples for the help of a command.
 *
 * @param rows Pairs of a command line and its description.
 */
export function formatExamples(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([typed]) => typed.length));
  return ['', 'Examples:', ...rows.map(([typed, does]) => `  ${typed.padEnd(width)}   ${does}`)].join('\n');
}
