/** Storage for the lines of an audit log. On Node, `openAudit` of `@tenon/host` stores them in files. */
export interface AuditSink {
  /**
   * Stores a line (without its line feed) after all earlier ones. Resolves when the line is stored. After a rejection,
   * it stores no more lines.
   */
  append(line: string): Promise<void>;
  /** Last stored line. Absent for a new log. */
  readonly last?: string | undefined;
  /** An incomplete line after the last one. It is removed when the next line is written. */
  readonly torn?: TornLine | undefined;
  /** Called before each line. Returns the name of the next file when the current one is full. */
  readonly getFullReason?: (() => string | undefined) | undefined;
  /**
   * Continues the log in the file with this name. Returns the position at which the log now begins if old lines are
   * dropped. They may be deleted once the next line is stored.
   */
  readonly rotate?: ((name: string, next: AuditPosition) => AuditPosition | undefined) | undefined;
}

export interface TornLine {
  readonly bytes: number;
  /** SHA-256 of the bytes. */
  readonly digest: string;
}

/** Position in an audit log: the number of a line, and the hash of the line before. */
export interface AuditPosition {
  readonly seq: number;
  readonly prev: string;
}
