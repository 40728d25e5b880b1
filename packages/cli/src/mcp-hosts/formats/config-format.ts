/**
 * Editor of the text of configurations in one format. Each change keeps all other characters of the file: its comments,
 * order, indentation and line ends.
 */
export interface ConfigFormat {
  /**
   * Parses a text. An empty text is an empty object.
   * @throws ConfigTextError
   */
  parse(text: string): unknown;
  /** Returns the function that finds the line of a value, from 1. Absent: `@tenon/host` parses the format itself. */
  createLineFinder?(text: string): (path: readonly (string | number)[]) => number | undefined;
  /** Returns the function that finds the text of a number or flag. Absent: `@tenon/host` parses the format itself. */
  createTextFinder?(text: string): (path: readonly (string | number)[]) => string | undefined;
  /** Sets a member of the object at a path, and creates the objects of the path that are missing. */
  setMember(text: string, path: readonly string[], key: string, value: unknown): string;
  /** Removes a member of the object at a path. */
  removeMember(text: string, path: readonly string[], key: string): string;
  /** Appends an item to the list at a path. Absent: the format has no lists of servers. */
  appendItem?(text: string, path: readonly string[], value: unknown): string;
  removeItem?(text: string, path: readonly string[], index: number): string;
  /** True if members inside of an entry can be changed one by one. Otherwise an entry is replaced as a whole. */
  readonly editsEntries: boolean;
}

/** Error of a text: it does not parse, or it has a form that the command does not change. */
export class ConfigTextError extends Error {
  /** Position, counted from 1. Absent: the error concerns the whole file. */
  readonly position: { readonly line: number; readonly column: number } | undefined;

  constructor(message: string, position?: { readonly line: number; readonly column: number }) {
    super(message);
    this.name = 'ConfigTextError';
    this.position = position;
  }
}
