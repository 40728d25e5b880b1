import type { CallerSignInChange } from '../../../auth/client/caller-sign-in/options.js';
import type { RequestInput } from '../../../execution/handler-run.js';
import type { TenonError } from '../../../jsonrpc/error.js';
import type { MaybePromise } from '../../../jsonrpc/maybe-promise.js';
import type { JsonObject } from '../../../jsonrpc/message.js';
import type { CallerIdentity } from '../../../protocol/caller-identity.js';
import type { Tool } from '../../../protocol/content.js';
import type { Context } from '../../../server/context/context.js';
import type { ListFilter } from '../../catalog/host-catalog.js';
import type { UpstreamConnection } from '../../connections/upstream-connection.js';
import type { Approvals } from '../approvals/types.js';
import type { ActionRequest } from '../policy/action-request.js';

/** Recipient of an input request, as far as the request depends on it. */
export interface QuestionRecipient {
  /** True if input requests are sent without `_meta`. */
  readonly omitMeta: boolean;
  /** True if `_meta` of the input request names the server. */
  readonly includeServer: boolean;
}

/** Forwards the input requests of one server to its callers, or answers them. */
export interface QuestionHandler {
  /** True if the host answers this method itself. */
  isAnsweredByHost(method: string): boolean;
  answer: RequestInput;
  /** An input request as it is sent to a caller. */
  prepareQuestion(method: string, params: JsonObject, recipient: QuestionRecipient): JsonObject;
}

/** A request that was refused before it reached a server. */
export interface DeniedRequest {
  readonly method: string;
  readonly kind: ActionRequest['kind'];
  /** The name or URI as the caller gave it. */
  readonly name: string;
  readonly server?: string | undefined;
  readonly principal: string | undefined;
  readonly error: unknown;
}

/** Guard between callers and servers: refuses, requests approvals, screens and records. */
export interface HostGuard {
  readonly approvals: Approvals;
  /** Lets a server be started, or throws why not. */
  checkServerStart(server: string): Promise<void>;
  /** Filters the lists of a server. */
  readonly filterList: ListFilter;
  /** Drops cached decisions. */
  reload(): void;
  /**
   * Authorizes a call, or returns the result to answer it with, which the model sees. Throws for methods without such a
   * result. `tool` is the definition by the server: an approval applies to this definition only.
   */
  authorizeCall(
    actionRequest: ActionRequest,
    context: Context,
    connection: UpstreamConnection,
    tool?: Tool,
  ): MaybePromise<JsonObject | undefined>;
  /** The result as it is passed on. */
  processResult(actionRequest: ActionRequest, result: JsonObject, hasOutputSchema: boolean): MaybePromise<JsonObject>;
  /** The call has failed. */
  recordFailure(actionRequest: ActionRequest, error: unknown): void;
  /** Rejects when something may not even be looked at: completed, watched. `method`: of the request, for the record. */
  authorizePassive(actionRequest: ActionRequest, connection: UpstreamConnection, method: string): Promise<void>;
  /** Records a request that led to no server. Rejects when it cannot be recorded. */
  recordDenied(request: DeniedRequest): Promise<void>;
  /** Records a sign-in or a sign-out of a caller. */
  recordSignIn(change: CallerSignInChange): void;
  /** Creates the handler of a server's input requests. */
  createQuestionHandler(connection: UpstreamConnection): QuestionHandler;
  /** Reports an error that no caller gets. */
  reportError(error: TenonError): void;
  /** Screens the instructions of a server. */
  screenInstructions(connection: UpstreamConnection, text: string): Promise<string | undefined>;
  /** A resource of the guard's own: what was too large to be passed on whole. */
  readOverflow(uri: string, identity: CallerIdentity): Promise<JsonObject | undefined>;
}
