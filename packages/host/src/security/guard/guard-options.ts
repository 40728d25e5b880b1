import type { CallerIdentity, Optional } from '@tenon/base';
import type { CreateMessageParams, CreateMessageResult } from 'tenon';
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

/** Findings in a text of a server. */
export interface ScreeningReport {
  /** Name of the server. */
  readonly server: string;
  /** Kind of the screened text. */
  readonly kind:
    | 'tool'
    | 'prompt'
    | 'resource'
    | 'template'
    | 'skill'
    | 'instructions'
    | 'result'
    | 'error'
    | 'elicitation'
    | 'sampling';
  /** Name at the server, or URI. The method of an error or an input request. */
  readonly name: string;
  /** Findings in the text. */
  readonly findings: readonly Finding[];
}

/** Options of the host option `screening`. */
export interface HostScreeningOptions {
  /**
   * Handling of texts that look like an instruction to a model or like a data leak.
   *
   * `report` only calls `onScreeningReport`. `mask` replaces each such text with a notice. `block` replaces a result
   * with an error, and masks definitions, instructions, errors and input requests.
   *
   * The detection is best effort: a text without findings may still be unsafe.
   *
   * @default `report`, which forwards prompt injection to the model
   */
  readonly onThreat?: 'report' | 'mask' | 'block' | undefined;
  /**
   * Invisible characters to remove from definitions, instructions and input requests.
   * @default all kinds
   */
  readonly definitions?: Pick<Screening, 'strip'> | undefined;
  /**
   * Invisible characters to remove from results and errors. `false`: they are not screened.
   * @default the kinds that no text needs
   */
  readonly results?: Pick<Screening, 'strip'> | false | undefined;
}

/** Security options of a host. */
export interface HostGuardOptions {
  /**
   * Policy, or its rules. The first matching rule decides. Actions without a matching rule need approval.
   *
   * Without an approver, the calling application must ask its user.
   *
   * @default all actions need approval if there is an approver
   */
  readonly policy?: Policy | readonly Rule[] | undefined;
  /**
   * Asks the operator of this process for approval.
   * @default the callers' own users are asked with a form, else the request waits in `stores`
   */
  readonly approve?: Approver | undefined;
  /**
   * Store and settings of approvals.
   * @default created from `stores` and `approve`
   */
  readonly approvals?: Approvals | undefined;
  /**
   * Limits on the number of actions within a period, in addition to those of the policy.
   * @default no limit
   */
  readonly quotas?: readonly Quota[] | undefined;
  /**
   * Compares servers with a lock, and blocks changes that are not approved.
   * @default none
   */
  readonly lockGuard?: LockGuard | undefined;
  /**
   * Called before a server is started or called for the first time. Reject to prevent that.
   * @default every server may start
   */
  readonly mayStart?: ((server: string) => Promise<void>) | undefined;
  /**
   * Called with all differences of a server from the lock, including those that block nothing.
   * @default none
   */
  readonly onDrift?: ((server: string, drifts: readonly Drift[]) => void) | undefined;
  /**
   * Audit log. An action that cannot be recorded is not executed.
   * @default none
   */
  readonly audit?: Audit | undefined;
  /**
   * Time between two anchors of the audit log in the stores while there are events, in milliseconds. Only with durable
   * `stores`, and an audit log with a `replica`.
   * @default 10,000
   */
  readonly auditAnchorInterval?: number | undefined;
  /**
   * Limits on the size of results. The complete content is stored in `stores` and linked. `true` uses the default
   * limits.
   * @default no limits
   */
  readonly output?: Optional<OutputLimits> | true | undefined;
  /**
   * Screening of texts of servers. `false` forwards all texts without screening.
   * @default the defaults of `HostScreeningOptions`
   */
  readonly screening?: HostScreeningOptions | false | undefined;
  /**
   * Called for invisible characters, and for texts that look like an instruction to a model or like a data leak.
   * @default none
   */
  readonly onScreeningReport?: ((report: ScreeningReport) => void) | undefined;
  /**
   * Handles sampling requests of servers instead of the callers.
   * @default none
   */
  readonly broker?:
    | ((
        request: CreateMessageParams,
        asked: { readonly server: string; readonly signal: AbortSignal } & Partial<CallerIdentity>,
      ) => Promise<CreateMessageResult>)
    | undefined;
  /**
   * Callers whose sampling requests the host handles: `fallback` for callers without sampling support, `all` for all.
   * @default `fallback`
   */
  readonly sampling?: 'fallback' | 'all' | undefined;
}
