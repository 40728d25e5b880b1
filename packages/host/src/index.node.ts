/**
 * Connect to many servers behind one interface, on Node.
 *
 * @module @tenon/host
 */

import { requireOptions } from '@tenon/base';
import { memoryStores } from 'tenon';
import { fetchWithAddressCheck } from 'tenon/auth/node';
import { nodeTransports } from 'tenon/host-internals/node';
import type { Host } from './host.js';
import { RunningHost } from './running-host.js';
import { createWorkerEngine } from './runtimes/node/code-mode/worker-engine.js';
import { loadHost, NODE_HOST_CHECKS, type NodeHostOptions } from './runtimes/node/host-options.js';
import { createScreeningWorker } from './runtimes/node/screening-worker.js';

/** Creates a host for servers from the options or from files. Servers start when they are first needed. */
export async function createHost(options: NodeHostOptions): Promise<Host> {
  requireOptions<NodeHostOptions>('createHost', options, NODE_HOST_CHECKS, 'options/invalid');
  const stores = options.stores ?? memoryStores(options.clock ? { clock: options.clock } : {});
  const { options: read, close } = await loadHost(options, stores);
  const closeAll = async () => {
    await close();
    if (options.stores === undefined) await stores.close();
  };
  try {
    const host = await RunningHost.create(read, {
      ...nodeTransports,
      authFetch: fetchWithAddressCheck,
      engine: createWorkerEngine(),
      screenAside: createScreeningWorker(),
    });
    host.onClose(closeAll);
    return host;
  } catch (error) {
    await closeAll();
    throw error;
  }
}

// Options and names that are close to others, for hints in errors.
// Secrets in texts.
export { findNearestKey, redactSecrets, requireKnownOptions } from '@tenon/base';
export { checkProgram } from 'tenon/host-internals/node';
// Size of tool definitions.
export type { CollapseOptions } from './catalog/budget/collapse-tools.js';
export {
  createTokenReport,
  estimateTokens,
  type TokenReport,
  type TokenReportOptions,
} from './catalog/budget/token-report.js';
export type { EmbedTexts } from './catalog/budget/vector-cache.js';
export type { Prefix } from './catalog/names/name-mapper.js';
export {
  createNameResolver,
  type EntryNames,
  type NameResolver,
  type NameResolverOptions,
  type ResolvedName,
} from './catalog/names/name-resolver.js';
export type { ServerInventory, UnreadableList } from './catalog/server-inventory.js';
export { listMalformedMembers } from './catalog/strict-results.js';
// Code mode.
export type { CodeModeOptions, CodeModePolicy, CodeModeSetting } from './code-mode/code-mode-options.js';
// Configuration.
export type { CallerTemplates, CallerValues } from './config/caller-template.js';
export type { ConfigFinding } from './config/config-finding.js';
export { findDangers } from './config/dangerous-commands.js';
export { fillCallerValues } from './config/fill-caller-values.js';
export { findLiteralSecrets } from './config/find-literal-secrets.js';
export type { AskInput, ConfigInput } from './config/inputs.js';
export {
  type ConfigOptions,
  type ConfigResult,
  type ParsedConfigText,
  parseConfig,
  parseServerEntries,
} from './config/parse-config.js';
export type {
  CommandTarget,
  ConfiguredEntry,
  EntryOrigin,
  ServerEntry,
  ToolOverride,
  ToolSettings,
  UrlTarget,
} from './config/server-entry.js';
export { toHostServers } from './config/to-host-servers.js';
export { type AskTrust, createTrust, type Trust, type TrustOptions } from './config/trust.js';
export type { ConfigChange, TrustQuestion } from './config/trust-question.js';
// Time limit of a start.
export { limitStart } from './connections/open-attempts.js';
// Servers of OpenAPI documents.
export { type OpenApiOpener, openApiServer } from './connections/openapi-server.js';
export type { ServerChanges } from './connections/upstream-pool.js';
export type { UnavailableServer } from './connections/upstream-registry.js';
export type {
  Host,
  HostUpdate,
  Inventories,
  ServerDescription,
  ServerError,
  ServerSelection,
  ServerState,
} from './host.js';
export type { CredentialProvider, HostOptions, HostServer, OpenApiTarget, ServerSettings } from './host-options.js';
// Input requests of servers, in a form that an application can show.
export { createFormResult, createFormView, type FormOutcome, type FormView } from './proxy/input-requests/form-view.js';
export { createUrlResult, createUrlView, type UrlView } from './proxy/input-requests/url-view.js';
export type { ViewWarning } from './proxy/input-requests/view-warning.js';
// Servers that are unavailable.
export { UNAVAILABLE } from './proxy/list-page.js';
export type { OutputLimits } from './proxy/output/output-limits.js';
export { OVERFLOW_NEXT, OVERFLOW_TOTAL } from './proxy/output/overflow-store.js';
// Files.
export { type AuditFileOptions, type OpenAuditOptions, openAudit } from './runtimes/node/audit/audit-file.js';
export { type AuditFileVerification, readAudit, verifyAuditFile } from './runtimes/node/audit/read-audit-file.js';
export {
  type AuditFilesOptions,
  type AuditFilesVerification,
  verifyAuditFiles,
} from './runtimes/node/audit/verify-audit-files.js';
export { type ConfigFileOptions, readConfigFile } from './runtimes/node/config-file.js';
export { type ConfigLocation, findProjectConfigs, findUserConfigs } from './runtimes/node/config-locations.js';
export { watchConfig } from './runtimes/node/config-watch.js';
export type { ConfigSource, NodeHostOptions } from './runtimes/node/host-options.js';
export { type LockFile, openLockFile } from './runtimes/node/lock-file.js';
export { type HostLockOptions, openLockGuard } from './runtimes/node/lock-guard.js';
export { readPolicyFile } from './runtimes/node/policy-file.js';
export { loadTrustKey } from './runtimes/node/trust-key.js';
// Models.
export { type Broker, type BrokerOptions, createBroker } from './sampling/broker.js';
export { formatErrorExcerpt } from './sampling/error-excerpt.js';
export type { Model } from './sampling/model.js';
export { rejectSampling } from './sampling/refusal.js';
export type { StoredApproval } from './security/approvals/approval-store.js';
export { createApprovals } from './security/approvals/approvals.js';
export type { Approval, Approver, Decision, Remember } from './security/approvals/decision.js';
export { formatApprovalPrompt } from './security/approvals/elicitation-approver.js';
export type { PendingApproval } from './security/approvals/pending-approvals.js';
// Policy and approvals.
export type { AnswerOptions, ApprovalRequestOptions, Approvals, ApprovalsOptions } from './security/approvals/types.js';
// The audit log.
export { type Audit, type AuditOptions, createAudit } from './security/audit/audit.js';
export type { AuditAnchor } from './security/audit/audit-anchor.js';
export { readAuditAnchors } from './security/audit/audit-anchors.js';
export type { AuditAction, AuditEvent, AuditHead } from './security/audit/audit-event.js';
export type { AuditSink } from './security/audit/audit-sink.js';
export {
  type AuditFinding,
  type AuditVerification,
  type AuditVerifyOptions,
  verifyAudit,
} from './security/audit/verify-audit.js';
export type { HostGuardOptions, HostScreeningOptions, ScreeningReport } from './security/guard/guard-options.js';
// The lock file.
export { acceptDrift } from './security/lock/accept-drift.js';
export { compareAllWithLock, compareWithLock } from './security/lock/compare-with-lock.js';
export { createLock } from './security/lock/create-lock.js';
export { describeDrift } from './security/lock/describe-drift.js';
export type { Drift, DriftKind } from './security/lock/drift.js';
export type { Lock, LockedServer, PinnedKind } from './security/lock/lock.js';
export {
  createLockGuard,
  type LockGuard,
  type LockGuardOptions,
  type LockVerdict,
} from './security/lock/lock-guard.js';
export { parseLockFile } from './security/lock/parse-lock.js';
export { serializeLock } from './security/lock/serialize-lock.js';
export type { Action, ActionRequest, PolicyVerdict } from './security/policy/action-request.js';
export { POLICY_DECISION } from './security/policy/denied-result.js';
export {
  type LintOptions,
  lintPolicy,
  type PolicyFinding,
  type PolicyFindingKind,
} from './security/policy/lint-policy.js';
export type { ToolInventory } from './security/policy/lint-tools.js';
export type { ArgumentPattern } from './security/policy/matching/argument-pattern.js';
export type { Globs } from './security/policy/matching/glob.js';
export { createPolicy, type Policy, type PolicyOptions } from './security/policy/policy.js';
export { type PolicyFile, parsePolicy } from './security/policy/policy-file.js';
export { type PolicyMiddlewareOptions, policyMiddleware } from './security/policy/policy-middleware.js';
export { policySchema } from './security/policy/policy-schema.js';
export {
  createQuotas,
  type Quota,
  type QuotaRefusal,
  type Quotas,
  type SharedQuotaOptions,
  type SharedQuotas,
} from './security/policy/quotas.js';
export { allow, ask, deny, type Match, type Rule, type UserMatch } from './security/policy/rules.js';
export { findFindings } from './security/screening/find-findings.js';
export { type Finding, type FindingKind, isThreat } from './security/screening/finding.js';
export { sanitizeName, sanitizeText } from './security/screening/sanitize-text.js';
// Hidden characters in texts of servers.
export {
  screenInstructions,
  screenPrompt,
  screenResource,
  screenSkill,
  screenTool,
} from './security/screening/screen-definitions.js';
export { screenInputRequest } from './security/screening/screen-input-requests.js';
export { screenError, screenResult } from './security/screening/screen-results.js';
export type { Screened, Screening } from './security/screening/screener.js';
