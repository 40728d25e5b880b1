import type { Visitor } from './visitor.js';

/** A client of an official SDK, connected to our server with pages of five. */
export interface Visit {
  readonly name: string;
  open(): Promise<Visitor>;
  /** Runs when the client has closed. */
  stop?(): Promise<void>;
  /** What is agreed on. */
  readonly revision: string;
}

export const newest = '2026-07-28';
/** Whether what is agreed on is at least this revision. */
export const has = (revision: string, { revision: agreed }: Visit) => agreed >= revision;
