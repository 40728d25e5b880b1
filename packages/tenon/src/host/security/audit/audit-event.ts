import type { JsonObject } from '../../../jsonrpc/message.js';

/**
 * Stages of an action. `denied`: by the policy, the lock or the configuration. `refused`: for another reason, such as a
 * name that no server has.
 */
export type AuditAction =
  | 'asked'
  | 'allowed'
  | 'denied'
  | 'refused'
  | 'limited'
  | 'called'
  | 'answered'
  | 'failed'
  | 'cancelled'
  | 'drift'
  | 'approved'
  | 'started'
  | 'stopped'
  | 'signed-in'
  | 'signed-out'
  | 'sampled'
  | 'elicited';

/** An event to record. Texts are recorded without what looks secret, and cut at `MAX_TEXT` characters. */
export interface AuditEvent {
  /** Kind of the event. */
  readonly action: AuditAction;
  /** User on whose behalf. */
  readonly principal?: string | undefined;
  /** Its name in the host. */
  readonly server?: string | undefined;
  /** Kind of the target. */
  readonly kind?: 'tool' | 'resource' | 'prompt' | 'method' | 'server' | undefined;
  /** The server's own name of the tool or prompt; the URI of the resource. */
  readonly name?: string | undefined;
  /** Identifies the lines of one call. */
  readonly call?: string | undefined;
  /** Number of the rule of the policy that decided, from 1. */
  readonly rule?: number | undefined;
  /** Reason of a decision. */
  readonly reason?: string | undefined;
  /** By default only their digest is recorded: the SHA-256 of their canonical JSON. */
  readonly arguments?: JsonObject | undefined;
  /** `ok`, the code of an error, … */
  readonly outcome?: string | undefined;
  /** Duration in milliseconds. */
  readonly ms?: number | undefined;
  /** More of it, for people. */
  readonly details?: JsonObject | undefined;
}

/** The end of a record. Kept elsewhere, it shows that nothing was cut off and nothing before it was written anew. */
export interface AuditHead {
  /** The number of the last line; the first is 0. */
  readonly seq: number;
  /** Its SHA-256, in base64url. */
  readonly hash: string;
}
