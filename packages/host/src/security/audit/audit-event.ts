import type { JsonObject } from '@tenon/base';

/**
 * Stages of an action. `denied`: by the policy, the lock or the configuration. `refused`: for another reason, such as
 * an unknown name.
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

/** Event to record. Texts are recorded without secrets, and cut at 1,024 characters. */
export interface AuditEvent {
  /** Stage of the action. */
  readonly action: AuditAction;
  /** User on whose behalf the action happens. */
  readonly principal?: string | undefined;
  /** Name of the server in the host. */
  readonly server?: string | undefined;
  /** Kind of the target of the action. */
  readonly kind?: 'tool' | 'resource' | 'prompt' | 'method' | 'server' | undefined;
  /** Name of the tool or prompt at the server, or URI of the resource. */
  readonly name?: string | undefined;
  /** ID of the call. All lines of one call have the same ID. */
  readonly call?: string | undefined;
  /** Number of the deciding policy rule, from 1. */
  readonly rule?: number | undefined;
  /** Reason of the decision. */
  readonly reason?: string | undefined;
  /** Arguments of the call. By default, only the SHA-256 of their canonical JSON is recorded. */
  readonly arguments?: JsonObject | undefined;
  /** Result of the action: `ok`, an error code, … */
  readonly outcome?: string | undefined;
  /** Duration in milliseconds. */
  readonly ms?: number | undefined;
  /** Further details for people. */
  readonly details?: JsonObject | undefined;
}

/**
 * Position of the last line of an audit log. Store it in another place. It then proves that no line was removed from
 * the end or rewritten.
 */
export interface AuditHead {
  /** Number of the last line. The first one is 0. */
  readonly seq: number;
  /** SHA-256 of the last line, in base64url. */
  readonly hash: string;
}
