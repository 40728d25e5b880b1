import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { rpcError, TenonError } from '../../jsonrpc/error.js';
import type { Audit } from '../audit/audit.js';
import type { AuditEvent } from '../audit/event.js';
import type { Proposal } from '../policy/proposal.js';

/** Writes down what was proposed, and what became of it. */
export class Recorder {
  readonly #audit: Audit | undefined;
  readonly #problem: (error: TenonError) => void;

  constructor(audit: Audit | undefined, problem: (error: TenonError) => void) {
    this.#audit = audit;
    this.#problem = problem;
  }

  /** Rejects when it can not be recorded: then it must not be done. */
  write({ kind, server, name, arguments: args, principal }: Proposal, event: AuditEvent): Promise<void> {
    return this.add({ principal, server, kind, name, arguments: args, ...event });
  }

  /** Rejects as `write` does. */
  async add(event: AuditEvent): Promise<void> {
    if (this.#audit === undefined) return;
    try {
      await this.#audit.write(event);
    } catch (error) {
      this.#problem(TenonError.from(error));
      throw rpcError(INTERNAL_ERROR, 'Not done: it could not be recorded');
    }
  }

  /** Of what was done already, the record is not waited for. */
  note(proposal: Proposal, event: AuditEvent): void {
    void this.write(proposal, event).catch(() => {});
  }
}
