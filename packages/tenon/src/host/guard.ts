import type { CallerSignInChange } from '../auth/caller-sign-in/options.js';
import type { Ask } from '../conversation/asking/asking.js';
import type { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Tool } from '../model/content.js';
import type { CallerIdentity } from '../model/owner.js';
import type { Context } from '../server/context.js';
import type { Admit } from './catalog.js';
import type { Approvals } from './policy/approval.js';
import type { Proposal } from './policy/proposal.js';
import type { Line } from './upstream/line.js';

/** Who is asked, as far as a question depends on it. */
export interface Asked {
  /** Whether questions travel without `_meta`. */
  readonly bare: boolean;
  /** Whether the question is to say in its `_meta` which server asks. */
  readonly marked: boolean;
}

/** How the questions of one server are put to its callers, or answered in their place. */
export interface PutQuestions {
  /** Whether callers are not asked this, because the host answers it. */
  isOurs(method: string): boolean;
  answer: Ask;
  /** A question as it is put to a caller. */
  put(method: string, params: JsonObject, to: Asked): JsonObject;
}

/** A request that was refused before any server was asked. */
export interface RefusedRequest {
  readonly method: string;
  readonly kind: Proposal['kind'];
  /** The name or URI as the caller gave it. */
  readonly name: string;
  readonly server?: string | undefined;
  readonly principal: string | undefined;
  readonly error: unknown;
}

/** What stands between callers and servers: it may refuse, ask, change what is shown, and keeps the record. */
export interface Guard {
  readonly approvals: Approvals;
  /** Lets a server be started, or throws why not. */
  start(server: string): Promise<void>;
  /** What of a server's lists is offered. */
  readonly admit: Admit;
  /** What was judged before is judged anew. */
  reconsider(): void;
  /**
   * Lets a call begin, or says what it is answered with instead: a result that the model sees. Throws where there is none.
   * `tool` is what the server says of it: an approval is good for that only.
   */
  before(proposal: Proposal, context: Context, line: Line, tool?: Tool): Promise<JsonObject | undefined>;
  /** The result as it is passed on. */
  after(proposal: Proposal, result: JsonObject, hasOutputSchema: boolean): Promise<JsonObject>;
  /** The call has failed. */
  failed(proposal: Proposal, error: unknown): void;
  /** Rejects when something may not even be looked at: completed, watched. `method`: of the request, for the record. */
  glance(proposal: Proposal, line: Line, method: string): Promise<void>;
  /** Records a request that led to no server. Rejects when it can not be recorded. */
  refused(request: RefusedRequest): Promise<void>;
  /** Records a sign-in or a sign-out of a caller. */
  recordSignIn(change: CallerSignInChange): void;
  /** What becomes of the questions of a server. */
  questions(line: Line): PutQuestions;
  /** Something went wrong that no caller was told of. */
  problem(error: TenonError): void;
  /** What a server says of how it is to be used, if that is to be heard. */
  instructions(line: Line, text: string): Promise<string | undefined>;
  /** A resource of the guard's own: what was too large to be passed on whole. */
  read(uri: string, identity: CallerIdentity): Promise<JsonObject | undefined>;
}
