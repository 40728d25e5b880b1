/** Output of a command. */
export interface Screen {
  /** Writes the result of the command to standard output. */
  print(text: string): void;
  /** Writes a result as one line of JSON to standard output. */
  printJson(value: unknown): void;
  /** Writes a message for the user to standard error. */
  note(text: string): void;
  /** Reserves standard output for a protocol. Results are written to standard error from then on. */
  releaseStdout(): void;
}

export interface TextOutput {
  write(text: string): unknown;
}

export function createScreen(output: TextOutput, errors: TextOutput): Screen {
  let own = output;
  return {
    print: text => void own.write(`${text}\n`),
    printJson: value => void own.write(`${JSON.stringify(value)}\n`),
    note: text => void errors.write(`${text}\n`),
    releaseStdout() {
      own = errors;
    },
  };
}

/** Formats rows as columns of even width. The last column is not padded. */
export function formatColumns(rows: readonly (readonly string[])[], indent = '  '): string {
  const count = Math.max(0, ...rows.map(row => row.length));
  const widths = Array.from({ length: count }, (_, index) => Math.max(0, ...rows.map(row => row[index]?.length ?? 0)));
  return rows
    .map(
      row =>
        indent +
        row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join('   '),
    )
    .map(line => line.trimEnd())
    .join('\n');
}
