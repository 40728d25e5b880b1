/** Where a command writes. */
export interface Screen {
  /** What the command was called for: to standard output. */
  print(text: string): void;
  /** The same for programs: one JSON value a line. */
  json(value: unknown): void;
  /** All else, for the person in front: to standard error. */
  note(text: string): void;
  /** From here on standard output belongs to a protocol: nothing but that is written to it. */
  yield(): void;
}

export interface Writable {
  write(text: string): unknown;
}

export function createScreen(output: Writable, errors: Writable): Screen {
  let own = output;
  return {
    print: text => void own.write(`${text}\n`),
    json: value => void own.write(`${JSON.stringify(value)}\n`),
    note: text => void errors.write(`${text}\n`),
    yield() {
      own = errors;
    },
  };
}

/** Rows as columns of even width. The last column is left as long as it is. */
export function columns(rows: readonly (readonly string[])[], indent = '  '): string {
  const count = Math.max(0, ...rows.map(row => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(0, ...rows.map(row => row[at]?.length ?? 0)));
  return rows
    .map(
      row => indent + row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('   '),
    )
    .map(line => line.trimEnd())
    .join('\n');
}
