/**
 * Entry `tenon/host` for every runtime: many servers behind one client or server. `host.node.ts` is the entry for Node,
 * with additional exports.
 */

import { requireKnownOptions } from '@tenon/base';
import type { Host } from './host/host.js';
import type { HostOptions } from './host/host-options.js';
import { RunningHost } from './host/running-host.js';
import { webTransports } from './runtimes/web/transports.js';

/** Creates a host for the servers in the options. Servers start when they are first needed. */
export function createHost(options: HostOptions): Promise<Host> {
  requireKnownOptions('createHost', options, {
    servers: true,
    name: true,
    version: true,
    title: true,
    prefix: true,
    startTimeout: true,
    listTimeout: true,
    connectionIdleTimeout: true,
    maxProcesses: true,
    maxConnectionsPerCaller: true,
    maxConnectionsPerServer: true,
    maxShare: true,
    waitForTasks: true,
    listDenied: true,
    pageSize: true,
    budget: true,
    credentials: true,
    callerSignIn: true,
    stores: true,
    inputRequests: true,
    tasks: true,
    rateLimits: true,
    strict: true,
    telemetry: true,
    onServerState: true,
    onError: true,
    clock: true,
    elicit: true,
    elicitUrl: true,
    sample: true,
    sampleTools: true,
    roots: true,
    forwarder: true,
    policy: true,
    approve: true,
    approvals: true,
    quotas: true,
    lockGuard: true,
    mayStart: true,
    onDrift: true,
    audit: true,
    auditAnchorInterval: true,
    output: true,
    screening: true,
    onScreeningReport: true,
    broker: true,
    sampling: true,
  });
  return RunningHost.create(options, webTransports);
}

// Options and names that are close to others, for hints in errors.
// Secrets in texts.
export { findNearestKey, redactSecrets, requireKnownOptions } from '@tenon/base';
// Size of tool definitions.
export type { CollapseOptions } from './host/catalog/budget/collapse-tools.js';
export {
  createTokenReport,
  type TokenReport,
  type TokenReportOptions,
} from './host/catalog/budget/token-report.js';
export type { EmbedTexts } from './host/catalog/budget/vector-cache.js';
export type { Prefix } from './host/catalog/names/name-mapper.js';
export {
  createNameResolver,
  type EntryNames,
  type NameResolver,
  type NameResolverOptions,
  type ResolvedName,
} from './host/catalog/names/name-resolver.js';
export type { ServerInventory } from './host/catalog/server-inventory.js';
// Configuration.
export type { CallerTemplates, CallerValues } from './host/config/caller-template.js';
export { findDangers } from './host/config/dangerous-commands.js';
export { fillCallerValues } from './host/config/fill-caller-values.js';
export { findLiteralSecrets } from './host/config/find-literal-secrets.js';
export type { AskInput, ConfigInput } from './host/config/inputs.js';
export {
  type ConfigOptions,
  type ConfigResult,
  type ParsedConfigText,
  parseConfig,
  parseServerEntries,
} from './host/config/parse-config.js';
export type { ConfigProblem } from './host/config/problem.js';
export type {
  CommandTarget,
  ConfiguredEntry,
  EntryOrigin,
  ServerEntry,
  ToolOverride,
  ToolSettings,
  UrlTarget,
} from './host/config/server-entry.js';
export { type AskTrust, createTrust, type Trust, type TrustOptions } from './host/config/trust.js';
export type { ConfigChange, TrustQuestion } from './host/config/trust-question.js';
export type { ServerChanges } from './host/connections/upstream-pool.js';
export type { UnavailableServer } from './host/connections/upstream-registry.js';
export type {
  Host,
  HostUpdate,
  Inventories,
  ServerDescription,
  ServerError,
  ServerSelection,
  ServerState,
} from './host/host.js';
export type { CredentialProvider, HostOptions, HostServer, ServerSettings } from './host/host-options.js';
// Servers that are unavailable.
export { UNAVAILABLE } from './host/proxy/list-page.js';
export type { OutputLimits } from './host/proxy/output/output-limits.js';
export { OVERFLOW_NEXT, OVERFLOW_TOTAL } from './host/proxy/output/overflow-store.js';
// Input requests of servers, in a form that an application can show.
export { createFormResult, createFormView, type FormOutcome, type FormView } from './host/proxy/questions/form-view.js';
export { createUrlResult, createUrlView, type UrlView } from './host/proxy/questions/url-view.js';
export type { ViewWarning } from './host/proxy/questions/view-warning.js';
// Models.
export { type Broker, type BrokerOptions, createBroker } from './host/sampling/broker.js';
export { formatErrorExcerpt } from './host/sampling/error-excerpt.js';
export type { Model } from './host/sampling/model.js';
export { rejectSampling } from './host/sampling/refusal.js';
export type { StoredApproval } from './host/security/approvals/approval-store.js';
export { createApprovals } from './host/security/approvals/approvals.js';
export type { Approval, Approver, Decision, Remember } from './host/security/approvals/decision.js';
export { formatApprovalPrompt } from './host/security/approvals/elicitation-approver.js';
export type { PendingApproval } from './host/security/approvals/pending-approvals.js';
// Policy and approvals.
export type {
  AnswerOptions,
  ApprovalRequestOptions,
  Approvals,
  ApprovalsOptions,
} from './host/security/approvals/types.js';
// The audit log.
export { type Audit, type AuditOptions, createAudit } from './host/security/audit/audit.js';
export type { AuditAnchor } from './host/security/audit/audit-anchor.js';
export { readAuditAnchors } from './host/security/audit/audit-anchors.js';
export type { AuditAction, AuditEvent, AuditHead } from './host/security/audit/audit-event.js';
export type { AuditSink } from './host/security/audit/audit-sink.js';
export {
  type AuditProblem,
  type AuditVerification,
  type AuditVerifyOptions,
  verifyAudit,
} from './host/security/audit/verify-audit.js';
export type { HostGuardOptions, HostScreeningOptions, ScreeningReport } from './host/security/guard/guard-options.js';
// The lock file.
export { acceptDrift } from './host/security/lock/accept-drift.js';
export { compareAllWithLock, compareWithLock } from './host/security/lock/compare-with-lock.js';
export { createLock } from './host/security/lock/create-lock.js';
export { describeDrift } from './host/security/lock/describe-drift.js';
export type { Drift, DriftKind } from './host/security/lock/drift.js';
export type { Lock, LockedServer, PinnedKind } from './host/security/lock/lock.js';
export {
  createLockGuard,
  type LockGuard,
  type LockGuardOptions,
  type LockVerdict,
} from './host/security/lock/lock-guard.js';
export { parseLockFile } from './host/security/lock/parse-lock.js';
export { serializeLock } from './host/security/lock/serialize-lock.js';
export type { Action, ActionRequest, PolicyVerdict } from './host/security/policy/action-request.js';
export { POLICY_DECISION } from './host/security/policy/denied-result.js';
export {
  type LintOptions,
  lintPolicy,
  type PolicyFinding,
  type PolicyProblem,
} from './host/security/policy/lint-policy.js';
export type { ToolInventory } from './host/security/policy/lint-tools.js';
export type { ArgumentPattern } from './host/security/policy/matching/argument-pattern.js';
export type { Globs } from './host/security/policy/matching/glob.js';
export { createPolicy, type Policy, type PolicyOptions } from './host/security/policy/policy.js';
export { type PolicyFile, parsePolicy } from './host/security/policy/policy-file.js';
export { type PolicyMiddlewareOptions, policyMiddleware } from './host/security/policy/policy-middleware.js';
export { policySchema } from './host/security/policy/policy-schema.js';
export {
  createQuotas,
  type Quota,
  type QuotaRefusal,
  type Quotas,
  type SharedQuotaOptions,
  type SharedQuotas,
} from './host/security/policy/quotas.js';
export { allow, ask, deny, type Match, type Rule, type UserMatch } from './host/security/policy/rules.js';
export { findFindings } from './host/security/screening/find-findings.js';
export type { Finding, FindingKind } from './host/security/screening/finding.js';
export { sanitizeName, sanitizeText } from './host/security/screening/sanitize-text.js';
// Hidden characters in texts of servers.
export {
  screenInstructions,
  screenPrompt,
  screenResource,
  screenTool,
} from './host/security/screening/screen-definitions.js';
export { screenResult } from './host/security/screening/screen-results.js';
export type { Screened, Screening } from './host/security/screening/screener.js';
