import { expect } from 'vitest';
import type { ProtocolVersion } from '../../support/official-schema.js';

/** Protocol versions from one on, before another. */
export interface Span {
  readonly from?: ProtocolVersion;
  readonly before?: ProtocolVersion;
}

/** Combinations: all that is said of them holds. */
export interface Where {
  readonly client?: Span;
  readonly server?: Span;
  /** Of the one that knows less. */
  readonly either?: Span;
}

/** A feature that cannot cross, since a protocol version has no words for it. */
export interface Impossible {
  /** As `nameOf` says it. */
  readonly feature: string;
  readonly where: Where;
  /** Why the specification lets it not cross. */
  readonly reason: string;
  /** What is seen in its place. It is never silence where somebody waits for an answer. */
  readonly instead: unknown;
}

/** A refusal that says why. */
export const expectError = (why: RegExp): unknown =>
  expect.objectContaining({ refused: expect.stringMatching(why) as unknown });
