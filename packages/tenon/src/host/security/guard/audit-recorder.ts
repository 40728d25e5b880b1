import { rpcError, TenonError } from '../../../jsonrpc/error.js';
import { INTERNAL_ERROR } from '../../../jsonrpc/error-codes.js';
import type { Audit } from '../audit/audit.js';
import type { AuditEvent } from '../audit/audit-event.js';
import type { ActionRequest } from '../policy/action-request.js';

/** Writes down what was proposed, and what became of it. */
export class AuditRecorder {
  readonly #audit: Audit | undefined;
  readonly #onError: (error: TenonError) => void;

  constructor(audit: Audit | undefined, onError: (error: TenonError) => void) {
    this.#audit = audit;
    this.#onError = onError;
  }

  /** True if there is an audit to record in. */
  get isRecording(): boolean {
    return this.#audit !== undefined;
  }

  /** Rejects when it cannot be recorded: then it must not be done. */
  write({ kind, server, name, arguments: args, principal }: ActionRequest, event: AuditEvent): Promise<void> {
    return this.add({ principal, server, kind, name, arguments: args, ...event });
  }

  /** Rejects as `write` does. */
  async add(event: AuditEvent): Promise<void> {
    if (this.#audit === undefined) return;
    try {
      await this.#audit.write(event);
    } catch (error) {
      this.#onError(TenonError.from(error));
      throw rpcError(INTERNAL_ERROR, 'Not done: the audit record could not be written');
    }
  }

  /** Records an action that was done already, without waiting. */
  recordLater(actionRequest: ActionRequest, event: AuditEvent): void {
    if (this.isRecording) void this.write(actionRequest, event).catch(() => {});
  }
}
