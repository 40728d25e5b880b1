/** Storage of the lines of an audit. On Node, `openAudit` of `tenon/host` stores them in files. */
export interface AuditSink {
  /**
   * Stores a line (without its line feed) after all earlier ones, and resolves when it is stored. After a rejection it
   * stores no more lines.
   */
  append(line: string): Promise<void>;
  /** The last line that is there. Absent: the record begins. */
  readonly last?: string | undefined;
  /** An incomplete line after the last one. It is removed when the next line is written. */
  readonly torn?: TornLine | undefined;
  /** Called before each line. Returns the name of the next file when the current one is full. */
  readonly getFullReason?: (() => string | undefined) | undefined;
  /**
   * From the next line on, which has this number and follows that hash, keeps lines in the place of this name. Gives
   * where the record begins from now on, when some of its beginning is dropped; it may go once the next line is kept.
   */
  readonly rotate?: ((name: string, next: AuditPosition) => AuditPosition | undefined) | undefined;
}

export interface TornLine {
  readonly bytes: number;
  /** Their SHA-256. */
  readonly digest: string;
}

/** A place in a record: the number of a line, and the hash of the line before. */
export interface AuditPosition {
  readonly seq: number;
  readonly prev: string;
}
