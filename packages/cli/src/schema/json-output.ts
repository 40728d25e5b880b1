/** Types of the output of commands with `--json`. The JSON Schemas that `tenon schema` prints are generated from these types. */

import type { ConfiguredServerState } from '@tenon/console/api';
import type {
  AuditFileVerification,
  Drift,
  PendingApproval,
  PolicyFinding,
  PolicyVerdict,
  StoredApproval,
} from '@tenon/host';
import type { ReplayReport } from '@tenon/testing';
import type { RestoredStoresResult } from 'tenon';
import type { AuditEntryLine } from '../audit/show-audit.js';
import type { SavedFile } from '../calls/save-content.js';
import type { ImportReport } from '../commands/import-openapi.js';
import type { InitResult } from '../commands/init.js';
import type { SignOutReport } from '../commands/logout.js';
import type { MigrateReport } from '../commands/migrate.js';
import type { FoundServer } from '../commands/search.js';
import type { Candidate } from '../completion/list-candidates.js';
import type { ConformanceReport } from '../conformance/run-conformance.js';
import type { DaemonServerState } from '../daemon/daemon-servers.js';
import type { DevEvent } from '../dev/dev-server.js';
import type { DoctorReport } from '../doctor/finding.js';
import type { GatewayEvent } from '../gateway/gateway-event.js';
import type { GatewayStatus } from '../gateway/gateway-status.js';
import type { FailedServerList } from '../host/update-lock.js';
import type { ChangesResult } from '../mcp-hosts/run-changes.js';
import type { DescribedRequest } from '../questions/describe-requests.js';
import type { PolicyTrial } from '../recording/compare-decisions.js';
import type { DecisionReport } from '../recording/report-decisions.js';
import type { ErrorReport } from '../report-failure.js';
import type { LogFields, NoteLine } from '../screen.js';
import type { ErrorEvent } from '../serving/log-error.js';
import type { FailedList } from '../tools/read-listing.js';

/** Text, or the file it was written to. */
type WrittenText =
  | { readonly text: string }
  | {
      readonly file: string;
      /** With `--check`: true if the file is the same. */
      readonly matches?: boolean;
      /** Unified diff from the file to the server, at most 100 lines. Only of --check, if the file differs. */
      readonly difference?: string;
    };

/** The command listens at a URL. */
interface ListeningEvent extends LogFields {
  readonly event: 'listening';
  readonly url: string;
}

/** Members of the protocol that the server sent. */
interface Definition {
  readonly name: string;
  readonly description?: string;
  readonly [member: string]: unknown;
}

/** Result of a tool, as the server sent it. */
interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  /** True if the tool reports an error. */
  readonly isError?: boolean;
  /** Files of `--save`. */
  readonly saved?: readonly SavedFile[];
  readonly [member: string]: unknown;
}

interface ContentBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Result of a prompt, as the server sent it. */
interface PromptResult {
  readonly messages: readonly { readonly role: string; readonly content: ContentBlock }[];
  readonly description?: string;
  readonly saved?: readonly SavedFile[];
  readonly [member: string]: unknown;
}

/** Contents of a resource, as the server sent them. */
interface ResourceResult {
  readonly contents: readonly ResourceContents[];
  readonly saved?: readonly SavedFile[];
  readonly [member: string]: unknown;
}

interface ResourceContents {
  readonly uri: string;
  readonly text?: string;
  /** Base64. */
  readonly blob?: string;
  readonly [member: string]: unknown;
}

/** A call that waits for an answer. The command ends with 9. */
interface InputRequired {
  readonly inputRequired: WaitingCallReport & { readonly server: string };
}

interface WaitingCallReport {
  readonly id: string;
  readonly expiresAt: string;
  readonly requests: readonly DescribedRequest[];
  /** Command line that answers. */
  readonly command: string;
}

type SchemaDocument = { readonly $schema: string; readonly [keyword: string]: unknown };

/** State of a task, as the server sent it. */
interface Task {
  readonly taskId: string;
  readonly status: string;
  readonly [member: string]: unknown;
}

export type AddOutput = ChangesResult;

export type AgentOutput = WrittenText;

export type AnswerOutput =
  | { readonly calls: readonly (WaitingCallReport & { readonly name: string })[] }
  /** ID of the call that `--forget` deleted. */
  | { readonly forgotten: string }
  | ToolResult
  | PromptResult
  | ResourceResult
  | InputRequired;

/** Lines of `tenon approvals list`, and the one line of the other commands. */
export type ApprovalsOutput =
  | ({ readonly status: 'waiting' } & PendingApproval)
  | ({ readonly status: 'remembered' } & StoredApproval)
  | { readonly id: string; readonly decision: 'allow' | 'deny' }
  /** IDs of approvals. */
  | { readonly revoked: readonly string[] };

/** Lines: one for each log, for `show` one for each entry, and for `export` one for the written file. */
export type AuditOutput =
  | { readonly file: string; readonly entries: number }
  | AuditEntryLine
  | ({ readonly file: string } & AuditFileVerification)
  /** The log of a replica that was not given. */
  | { readonly replica: string; readonly ok: boolean; readonly absent: true; readonly lines: number };

/** One line, for a command. */
export type BridgeOutput = (ListeningEvent & { readonly sseUrl?: string }) | ErrorEvent;

export type CallOutput = ToolResult | InputRequired;

export interface CompleteOutput {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** The script for a shell, or the completions of a line. */
export type CompletionOutput =
  | { readonly shell: string; readonly script: string }
  | { readonly candidates: readonly Candidate[] };

export type ConformanceOutput = ConformanceReport;

/** One line. The URL has the token of the page. */
export type ConsoleOutput = ListeningEvent;

export interface DaemonOutput {
  readonly running: boolean;
  readonly pid?: number;
  readonly version?: string;
  readonly servers?: readonly DaemonServerState[];
  /** Number of calls that wait for an answer, and whose server was kept. Only for `stop`, and not 0. */
  readonly waitingCalls?: number;
}

/** Lines. */
export type DevOutput = (LogFields & DevEvent) | ErrorEvent;

export type DoctorOutput = DoctorReport;

/** Last line on standard error when a command fails. */
export type ErrorOutput = ErrorReport;

/**
 * Lines, or the report of `--dry-run`. `status`: a line for each running gateway. `enable`, `disable`, `restart` and
 * `reconnect`: the server after the change.
 */
export type GatewayOutput = GatewayEvent | DecisionReport | GatewayStatus | ConfiguredServerState;

export type GenerateOutput = WrittenText;

export type ImportOpenapiOutput = ImportReport;

export type InitOutput = InitResult;

/** The inventory of a server. Without a target: the configured servers. */
export type ListOutput = ServerInventory | { readonly servers: readonly ConfiguredServerState[] };

interface ServerInventory {
  readonly server: { readonly name: string; readonly version: string; readonly title?: string } | null;
  readonly protocolVersion: string;
  readonly instructions: string | null;
  /** Estimated number of tokens of all tools in the context of a model. */
  readonly tokens: number;
  /** Tools as the server sent them, with their signatures in TypeScript. */
  readonly tools: readonly (Definition & {
    readonly inputSchema: object;
    readonly signature: string;
    readonly tokens: number;
  })[];
  readonly resources: readonly (Definition & { readonly uri: string })[];
  readonly resourceTemplates: readonly (Definition & { readonly uriTemplate: string })[];
  readonly prompts: readonly Definition[];
  /** Lists that could not be read. They are empty above, which does not mean that the server has no entries. */
  readonly failedLists: readonly FailedList[];
}

export interface LockOutput {
  readonly drifts: readonly (Omit<Drift, 'found'> & {
    /** Configuration of a server that is not in the lock. */
    readonly source?: unknown;
  })[];
  /** Names of servers that cannot be reached, or are not approved. */
  readonly unavailable: readonly string[];
  /** Lists that servers could not send. The lock keeps the entries that it has of them. */
  readonly failedLists: readonly FailedServerList[];
}

export interface LogoutOutput {
  /** URL of the server. */
  readonly server: string;
  /** One for each client that had signed in. */
  readonly signOuts: readonly SignOutReport[];
  /** Number of connections of `--keep` that were closed. */
  readonly connectionsClosed: number;
}

export type MigrateOutput = MigrateReport;

/** One line, with `--port`. */
export type MockOutput = ListeningEvent | ErrorEvent;

/** Line on standard error that is no error of the command: a note or a warning. */
export type NoteOutput = NoteLine;

/** The decision of `explain`, the findings of `lint`, the changed decisions of `try`, or the JSON Schema of policy files. */
export type PolicyOutput = PolicyVerdict | readonly PolicyFinding[] | PolicyTrial | SchemaDocument;

export type PromptOutput = PromptResult | InputRequired;

export type ReadOutput = ResourceResult | InputRequired;

/** One line, with `--port`. */
export type RecordOutput = ListeningEvent | ErrorEvent;

export type RemoveOutput = ChangesResult;

/** One line with `--port`, or the report about a server. */
export type ReplayOutput = ListeningEvent | ReplayReport | ErrorEvent;

/** The names of all schemas, or one schema. */
export type SchemaOutput = { readonly names: readonly string[] } | SchemaDocument;

export interface SearchOutput {
  readonly servers: readonly FoundServer[];
  readonly nextCursor?: string;
}

/** Lines. */
export type ServeOutput =
  | (ListeningEvent & {
      readonly sseUrl?: string;
      /** URL of the probe `/healthz`. */
      readonly live?: string;
      /** URL of the probe `/readyz`. */
      readonly ready?: string;
      readonly pid: number;
    })
  | (LogFields & { readonly event: 'draining'; readonly signal: string })
  | (LogFields & { readonly event: 'closed' })
  | (LogFields & { readonly event: 'metrics'; readonly url: string })
  | ErrorEvent;

/** The skills of a server, or one file of a skill. */
export type SkillsOutput =
  | {
      readonly server: string;
      readonly skills: readonly (Definition & { readonly uri: string; readonly resources: unknown })[];
      readonly errors: readonly string[];
    }
  | {
      readonly skill: string;
      readonly uri: string;
      readonly file: string;
      /** True if the server states the size and the digest of the file. */
      readonly verified: boolean;
      readonly text?: string;
      /** Base64, of a file that is not UTF-8. */
      readonly blob?: string;
    };

/** Counts of values, for `tenon store reseal`. */
export type StoreOutput = RestoredStoresResult;

/** Lines: one for each change. */
export type SubscribeOutput =
  /** The connection was lost, and is open again. Changes may be missed. */
  | { readonly event: 'reconnected' }
  | { readonly list: 'tools' | 'prompts' | 'resources' }
  | {
      readonly uri: string;
      /** With `--read`. */
      readonly contents?: readonly ResourceContents[];
    };

export type SyncOutput = ChangesResult;

/** One task, the tasks of `list`, or the result of a task. */
export type TasksOutput = Task | { readonly tasks: readonly Task[] } | ToolResult | InputRequired;

export type TypesOutput = WrittenText;
