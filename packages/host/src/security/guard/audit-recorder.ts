import { INTERNAL_ERROR, rpcError, TenonError } from '@tenon/base';
import type { Audit } from '../audit/audit.js';
import type { AuditEvent } from '../audit/audit-event.js';
import type { ActionRequest } from '../policy/action-request.js';

/** Records requested actions and their results in the audit log. */
export class AuditRecorder {
  readonly #audit: Audit | undefined;
  readonly #onError: (error: TenonError) => void;

  constructor(audit: Audit | undefined, onError: (error: TenonError) => void) {
    this.#audit = audit;
    this.#onError = onError;
  }

  /** True if there is an audit log. */
  get isRecording(): boolean {
    return this.#audit !== undefined;
  }

  /** Records an action. Rejects when it cannot be recorded. The action must not be executed then. */
  write({ kind, server, name, arguments: args, principal }: ActionRequest, event: AuditEvent): Promise<void> {
    return this.add({ principal, server, kind, name, arguments: args, ...event });
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
