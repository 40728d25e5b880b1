import { Command } from 'commander';

/** Descriptions of the options that all commands have. */
export interface CommonOptionTexts {
  readonly verbose?: string;
  readonly noInput?: string;
}

/** Creates a command with the options that all commands have. The program itself applies `--no-input`. */
export function createCommand(
  name: string,
  summary: string,
  { verbose = 'print the code and the stack of errors', noInput = 'never ask' }: CommonOptionTexts = {},
): Command {
  return new Command(name)
    .summary(summary)
    .description(summary)
    .option('-v, --verbose', verbose)
    .option('--no-input', noInput);
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
