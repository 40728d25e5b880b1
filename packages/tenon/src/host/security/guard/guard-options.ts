import type { CallerIdentity } from '../../../protocol/caller-identity.js';
import type { Optional } from '../../../protocol/defaults.js';
import type { CreateMessageParams, CreateMessageResult } from '../../../protocol/input-requests.js';
import type { OutputLimits } from '../../proxy/output/output-limits.js';
import type { Approver } from '../approvals/decision.js';
import type { Approvals } from '../approvals/types.js';
import type { Audit } from '../audit/audit.js';
import type { Drift } from '../lock/drift.js';
import type { LockGuard } from '../lock/lock-guard.js';
import type { Policy } from '../policy/policy.js';
import type { Quota } from '../policy/quotas.js';
import type { Rule } from '../policy/rules.js';
import type { Finding } from '../screening/finding.js';
import type { Screening } from '../screening/screener.js';

/** A finding in the texts of a server. */
export interface ScreeningReport {
  /** Name of the server. */
  readonly server: string;
  /** Kind of the screened text. */
  readonly kind: 'tool' | 'prompt' | 'resource' | 'template' | 'instructions' | 'result' | 'question';
  /** By the server's own name, or URI. */
  readonly name: string;
  /** Findings in the text. */
  readonly findings: readonly Finding[];
}

/** Options of the screening of a host. */
export interface HostScreeningOptions {
  /**
   * Handling of texts that look like an instruction to a model or like a leak. `report` only calls `onScreeningReport`.
   * `mask` replaces each such text with a notice. `block` answers with an error instead of a result, and masks
   * definitions, instructions and input requests. The detection is best effort: no finding does not mean that a text is
   * safe. Default `report`, which passes prompt injection on to the model.
   */
  readonly onThreat?: 'report' | 'mask' | 'block' | undefined;
  /** Hidden characters to remove from definitions, instructions and input requests. Default: all kinds. */
  readonly definitions?: Pick<Screening, 'strip'> | undefined;
  /**
   * Hidden characters to remove from results. `false` leaves results unread. Default: the kinds that no
   * text needs.
   */
  readonly results?: Pick<Screening, 'strip'> | false | undefined;
}

/** Security options of a host. */
export interface HostGuardOptions {
  /**
   * Rules of the policy. The first that matches decides, and actions without a matching rule need approval. Without
   * rules all actions need approval if there is an approver. Without both, the calling application must ask its user.
   */
  readonly policy?: Policy | readonly Rule[] | undefined;
  /**
   * Asks the operator of this process. Without it the callers' own users are asked with a form, else the request waits
   * in `stores`.
   */
  readonly approve?: Approver | undefined;
  /** Default: made of `stores` and `approve`. */
  readonly approvals?: Approvals | undefined;
  /** Limits on the number of actions within a time. Default: no limit. */
  readonly quotas?: readonly Quota[] | undefined;
  /** Compares servers with a lock, and blocks changes that are not approved. Default: no lock. */
  readonly lockGuard?: LockGuard | undefined;
  /** Called before a server is started or called for the first time; rejects where that may not be. */
  readonly mayStart?: ((server: string) => Promise<void>) | undefined;
  /** Called with all differences of a server from the lock, also with those that block nothing. */
  readonly onDrift?: ((server: string, drifts: readonly Drift[]) => void) | undefined;
  /** Keeps the record. What cannot be recorded is not done. */
  readonly audit?: Audit | undefined;
  /** Limits on the size of results; the rest is put into `stores`, and linked to. Default: all. */
  readonly output?: Optional<OutputLimits> | true | undefined;
  /** Screening of text of servers before it is passed on. `false` passes all of it on unread. Default: all defaults. */
  readonly screening?: HostScreeningOptions | false | undefined;
  /** Called with hidden characters, and with texts that look like an instruction to a model or like a leak. */
  readonly onScreeningReport?: ((report: ScreeningReport) => void) | undefined;
  /** Answers sampling requests of servers in place of the callers. */
  readonly broker?:
    | ((
        request: CreateMessageParams,
        asked: { readonly server: string; readonly signal: AbortSignal } & Partial<CallerIdentity>,
      ) => Promise<CreateMessageResult>)
    | undefined;
  /** Callers whose sampling requests the host answers: those without a model, or all. Default `fallback`. */
  readonly sampling?: 'fallback' | 'all' | undefined;
}
