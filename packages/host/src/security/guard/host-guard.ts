import type { CallerIdentity, JsonObject, MaybePromise, TenonError } from '@tenon/base';
import type { Context, Tool } from 'tenon';
import type { CallerSignInChange } from 'tenon/auth';
import type { ListFilter } from '../../catalog/catalog-options.js';
import type { ToolNames } from '../../catalog/names/tool-names.js';
import type { ServerEntry } from '../../config/server-entry.js';
import type { InputRequestHandler } from '../../connections/connection-options.js';
import type { EntryList } from '../../connections/list-cache.js';
import type { UpstreamConnection } from '../../connections/upstream-connection.js';
import type { Approvals } from '../approvals/types.js';
import type { ActionRequest } from '../policy/action-request.js';
import type { Policy } from '../policy/policy.js';
import type { Rule } from '../policy/rules.js';

/** Parts of a guard that an update replaces. Absent parts stay. */
export interface GuardUpdate {
  /** Configuration entries of the servers, by name. */
  readonly entries?: ReadonlyMap<string, ServerEntry> | undefined;
  readonly policy?: Policy | readonly Rule[] | undefined;
}

/** Request that was refused before it reached a server. */
export interface DeniedRequest {
  readonly method: string;
  readonly kind: ActionRequest['kind'];
  /** Name or URI from the request. */
  readonly name: string;
  readonly server?: string | undefined;
  readonly principal: string | undefined;
  readonly error: unknown;
}

/** Guard between callers and servers. It authorizes calls, requests approvals, screens texts and records actions. */
export interface HostGuard {
  readonly approvals: Approvals;
  /** Checks that a server may be started. Rejects with the reason if not. */
  checkServerStart(server: string): Promise<void>;
  /** Filters the entries of a server's list. */
  readonly filterList: ListFilter;
  /** Screens skills that a caller has read. Removes those that the lock blocks as they are now. */
  filterSkills(connection: UpstreamConnection, entries: readonly JsonObject[]): Promise<readonly JsonObject[]>;
  /** Tells if the lock blocks a page as a caller has read it. */
  isPageBlocked(connection: UpstreamConnection, uri: string, result: JsonObject): Promise<boolean>;
  /** Returns the offered tools of a list that was filtered before. */
  getFilteredTools(list: EntryList<'tools'>): readonly Tool[] | undefined;
  /** Returns the configured names of a server's tools, if the configuration changes any. */
  getToolNames(server: string): ToolNames | undefined;
  /** Drops cached decisions. */
  reload(): void;
  /** Replaces the servers or the policy. Later decisions use them. */
  update(update: GuardUpdate): void;
  /**
   * Authorizes a call. Resolves with a result for the model if the call is denied. Rejects for methods without such a
   * result.
   *
   * @param tool Definition of the tool from the server. An approval applies to this definition only.
   */
  authorizeCall(
    actionRequest: ActionRequest,
    context: Context,
    connection: UpstreamConnection,
    tool?: Tool,
  ): MaybePromise<JsonObject | undefined>;
  /** False if `isAlwaysDenied` is false for all entries and callers. */
  readonly hidesEntries: boolean;
  /** Tells if the policy denies every use of an entry to the caller of the request. */
  isAlwaysDenied(actionRequest: ActionRequest, isTemplate: boolean): boolean;
  /** Screens and limits a result. */
  processResult(actionRequest: ActionRequest, result: JsonObject, hasOutputSchema: boolean): MaybePromise<JsonObject>;
  /** Screens an error of a server that a caller gets. */
  screenError(connection: UpstreamConnection, method: string, error: TenonError): Promise<TenonError>;
  /**
   * Records that a call ended with input requests for its caller. The caller may send it again with the input, or not.
   */
  recordInputRequest(actionRequest: ActionRequest): void;
  /** Records the result of a call, after `processResult`. */
  recordAnswer(actionRequest: ActionRequest, result: JsonObject): void;
  /** Records the failure of a call that was recorded as called, and has no recorded end. */
  recordFailure(actionRequest: ActionRequest, error: unknown, isCancelled: boolean): void;
  /**
   * Authorizes a completion or a subscription. Rejects if it is denied.
   *
   * @param method Method of the request, for the audit log.
   */
  authorizePassive(actionRequest: ActionRequest, connection: UpstreamConnection, method: string): Promise<void>;
  /** Records a request that was not forwarded to a server. Rejects when it cannot be recorded. */
  recordDenied(request: DeniedRequest): Promise<void>;
  /** Records a sign-in or sign-out of a caller. */
  recordSignIn(change: CallerSignInChange): void;
  /** Creates the handler of a server's input requests. */
  createInputRequestHandler(connection: UpstreamConnection): InputRequestHandler;
  /** Reports an error that no caller receives. */
  reportError(error: TenonError): void;
  /** Screens the instructions of a server. */
  screenInstructions(connection: UpstreamConnection, text: string): Promise<string | undefined>;
  /** Reads the stored content of a result that was too large. */
  readOverflow(uri: string, identity: CallerIdentity): Promise<JsonObject | undefined>;
}
