/** `tenon/host`: many clients behind one face, on Node. */
import { type Host, RunningHost } from './host/host.js';
import { type HostFiles, readHost } from './runtimes/node/host-files.js';
import { nodeRoads } from './runtimes/node/roads.js';
import { memoryStores } from './stores/memory.js';

/** Makes a host of servers that are named here or in files. Nothing is started before it is needed. */
export async function createHost(options: HostFiles): Promise<Host> {
  const stores = options.stores ?? memoryStores(options.clock ? { clock: options.clock } : {});
  const { options: read, close } = await readHost(options, stores);
  const closeAll = async () => {
    await close();
    if (options.stores === undefined) await stores.close();
  };
  try {
    const host = await RunningHost.create(read, nodeRoads);
    host.whenClosed(closeAll);
    return host;
  } catch (error) {
    await closeAll();
    throw error;
  }
}

// Questions of servers, as they are shown.
export { elicitView, type FormOutcome, type FormView, formAnswer } from './host/asking/form-view.js';
export { type UrlView, urlAnswer, urlView } from './host/asking/url-view.js';
export type { Warning } from './host/asking/warning.js';
// The record.
export { type Audit, type AuditOptions, createAudit } from './host/audit/audit.js';
export type { AuditAction, AuditEvent, AuditHead } from './host/audit/event.js';
export type { AuditSink } from './host/audit/sink.js';
export { type AuditProblem, type AuditVerdict, type VerifyOptions, verifyAudit } from './host/audit/verifying.js';
// What definitions cost.
export { type Compacted, type CompactOptions, compact } from './host/budget/meta-tools.js';
export { estimateTokens, type TokenReport, type TokenReportOptions, tokenReport } from './host/budget/report.js';
// Configuration.
export type { AskInput, ConfigInput } from './host/config/inputs.js';
export type { ConfigProblem } from './host/config/problem.js';
export type { ConfigChange, TrustQuestion } from './host/config/question.js';
export { type ConfigOptions, type ConfigRead, entriesOf, readConfig } from './host/config/read-config.js';
export type { CommandTarget, ConfiguredEntry, Origin, ServerEntry, UrlTarget } from './host/config/server-entry.js';
export { type AskTrust, createTrust, type Trust, type TrustOptions } from './host/config/trust.js';
export type { GuardOptions, Sighted } from './host/guarding/options.js';
export type { Host, Offerings, Selection, ServerState } from './host/host.js';
// The lock.
export { accept } from './host/lock/accepting.js';
export { compare, compareAll } from './host/lock/comparing.js';
export { describeDrift } from './host/lock/description.js';
export type { Drift, DriftKind } from './host/lock/drift.js';
export { createGate, type Gate, type GateOptions, type GateVerdict } from './host/lock/gate.js';
export type { Lock, LockedServer, PinnedKind } from './host/lock/lock.js';
export { lockedServer, lockOf } from './host/lock/making.js';
export { readLock } from './host/lock/reading.js';
export { writeLock } from './host/lock/writing.js';
export { createNames, type Names, type Prefix } from './host/names/names.js';
export { createResourceNames, type ResourceNames } from './host/names/resources.js';
export type { Offered } from './host/offered.js';
export type { Credentials, Dealings, HostOptions, HostServer } from './host/options.js';
// How much is passed on.
export { type CapOptions, cap } from './host/output/cap.js';
export { OUTPUT_LIMITS, type OutputLimits } from './host/output/limits.js';
export { createSpill, isSpilled, SPILL_NEXT, SPILL_TEMPLATE, SPILL_TOTAL, type Spill } from './host/output/spill.js';
// What may be done.
export type { AnswerOptions, Approvals, ApprovalsOptions, ObtainOptions } from './host/policy/approval.js';
export { createApprovals } from './host/policy/approvals.js';
export type { Approval, Approver, Decision, Remember } from './host/policy/decision.js';
export { questionText } from './host/policy/elicited.js';
export {
  type Finding as PolicyFinding,
  type LintOptions,
  lint as lintPolicy,
  type PolicyProblem,
} from './host/policy/lint.js';
export type { ToolInventory } from './host/policy/lint-tools.js';
export { type Policing, policed } from './host/policy/middleware.js';
export type { ArgumentPattern } from './host/policy/pattern.js';
export { createPolicy, type Policy, type PolicyOptions } from './host/policy/policy.js';
export { type PolicyFile, readPolicy } from './host/policy/policy-file.js';
export type { Action, Proposal, Verdict } from './host/policy/proposal.js';
export type { Question } from './host/policy/questions.js';
export { createQuotas, type Quota, type Quotas } from './host/policy/quotas.js';
export type { Remembered } from './host/policy/remembered.js';
export { allow, ask, deny, type Globs, type Match, type Rule } from './host/policy/rules.js';
// Definitions for model providers.
export { type Projection, project, type Quarantined } from './host/projection/project.js';
export type { Provider, ProviderTools } from './host/projection/provider.js';
// What lists say of servers that are missing.
export { ABSENT } from './host/relay/listing.js';
// Models.
export type { AdapterOptions } from './host/sampling/adapter.js';
export { anthropicModel } from './host/sampling/anthropic.js';
export { type Broker, type BrokerOptions, createBroker } from './host/sampling/broker.js';
export { geminiModel } from './host/sampling/gemini.js';
export type { Model } from './host/sampling/model.js';
export { type OpenaiOptions, openaiModel } from './host/sampling/openai.js';
export { refuse } from './host/sampling/refusal.js';
export { type ScriptedModel, scriptedModel } from './host/sampling/scripted.js';
// What servers hide in what they say.
export { screenInstructions, screenPrompt, screenResource, screenTool } from './host/screening/definitions.js';
export type { Finding, FindingKind } from './host/screening/finding.js';
export { findings } from './host/screening/findings.js';
export { screenResult } from './host/screening/results.js';
export { safeName, safeText } from './host/screening/safe-text.js';
export type { Screened, Screening } from './host/screening/screener.js';
export type { Absent } from './host/switchboard.js';
// Files.
export { type AuditFileOptions, auditFile, openAudit } from './runtimes/node/audit-file.js';
export { type AuditFileVerdict, readAudit, verifyAuditFile } from './runtimes/node/audit-reading.js';
export { type ConfigFileOptions, configFile } from './runtimes/node/config-file.js';
export { trustKey } from './runtimes/node/config-key.js';
export { type ConfigPlace, projectConfigs, userConfigs } from './runtimes/node/config-places.js';
export { watchConfig } from './runtimes/node/config-watch.js';
export type { ConfigSource, HostFiles } from './runtimes/node/host-files.js';
export { type LockFile, lockFile } from './runtimes/node/lock-file.js';
export { readPolicyFile } from './runtimes/node/policy-file.js';
export { checkProgram } from './runtimes/node/program.js';
