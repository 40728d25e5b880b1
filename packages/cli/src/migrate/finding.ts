/** A place that the command could not change, or changed in a way that a person should check. */
export interface MigrationFinding {
  /** Path of the file, relative to the project. */
  readonly file: string;
  /** Line of the original file, from 1. */
  readonly line: number;
  /** `left`: not changed. `check`: changed, and the behavior may differ. */
  readonly kind: 'left' | 'check';
  /** Names the construct. */
  readonly what: string;
  /** Tells how to change it by hand, or how to check it. */
  readonly fix: string;
}
