import { INTERNAL_ERROR, rpcError, TenonError } from '@tenon/base';
import type { Context } from 'tenon';
import type { Audit } from '../audit/audit.js';
import type { AuditEvent } from '../audit/audit-event.js';
import type { ActionRequest } from '../policy/action-request.js';

declare const crypto: { randomUUID(): string };

/** Records requested actions and their results in the audit log. */
export class AuditRecorder {
  readonly #audit: Audit | undefined;
  readonly #onError: (error: TenonError) => void;
  readonly #callIds = new WeakMap<ActionRequest, string>();

  constructor(audit: Audit | undefined, onError: (error: TenonError) => void) {
    this.#audit = audit;
    this.#onError = onError;
  }

  /** True if there is an audit log. */
  get isRecording(): boolean {
    return this.#audit !== undefined;
  }

  /** Gives all lines of a call the same ID. A call that runs again, after a request for input, keeps its ID. */
  async identifyCall(actionRequest: ActionRequest, context: Context): Promise<void> {
    this.#callIds.set(actionRequest, await context.step('identified', () => crypto.randomUUID()));
  }

  /** Records an action. Rejects when it cannot be recorded. The action must not be executed then. */
  write(actionRequest: ActionRequest, event: AuditEvent): Promise<void> {
    const { kind, server, name, arguments: args, principal } = actionRequest;
    const call = this.#callIds.get(actionRequest);
    return this.add({ principal, server, kind, name, call, arguments: args, ...event });
  }

  /** Records an event. Rejects when it cannot be recorded. */
  async add(event: AuditEvent): Promise<void> {
    if (this.#audit === undefined) return;
    try {
      await this.#audit.write(event);
    } catch (error) {
      this.#onError(TenonError.from(error));
      throw rpcError(INTERNAL_ERROR, 'Not done: the audit record could not be written');
    }
  }

  /** Records an action that was executed, without waiting. */
  recordLater(actionRequest: ActionRequest, event: AuditEvent): void {
    if (this.isRecording) void this.write(actionRequest, event).catch(() => {});
  }
}
