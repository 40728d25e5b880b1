/** The API between `tenon console` and its page: types of all requests, responses and events. */

/** A JSON object. */
export interface Json {
  readonly [name: string]: unknown;
}

/** Header with the token, which the page reads from the fragment of its address. */
export type TokenHeader = 'x-tenon-token';

/** State of a server. `waiting`: the user has not allowed it to start yet. */
export type ServerState = 'waiting' | 'connecting' | 'signing-in' | 'connected' | 'reconnecting' | 'failed' | 'closed';

/** An error with its next step, as the commands print it with `--json`. */
export interface ErrorView {
  readonly code: string;
  readonly cause: string;
  readonly fix?: string | undefined;
  readonly rpcCode?: number | undefined;
  readonly data?: unknown;
}

/** A finding of `tenon doctor`. */
export interface FindingView {
  readonly id: string;
  readonly severity: 'ok' | 'info' | 'warning' | 'problem';
  readonly title: string;
  readonly seen?: string | undefined;
  readonly cause?: string | undefined;
  readonly fix?: string | undefined;
  readonly spec?: string | undefined;
}

/** One server of the board. */
export interface ServerView {
  /** Name in addresses. */
  readonly name: string;
  /** URL, command line, path or name. */
  readonly label: string;
  readonly transport: 'stdio' | 'http' | 'memory' | null;
  readonly state: ServerState;
  readonly protocolVersion: string | null;
  /** The only version to use. `null`: the newest of both sides. */
  readonly requestedVersion: string | null;
  readonly info: { readonly name: string; readonly version: string; readonly title?: string | undefined } | null;
  readonly capabilities: readonly string[];
  /** IDs of the extensions that the server declares. */
  readonly extensions: readonly string[];
  readonly counts: {
    readonly tools: number;
    readonly resources: number;
    readonly prompts: number;
    /** Number of tools with an app. */
    readonly apps: number;
  } | null;
  /** Names of the first tools, for links. */
  readonly toolNames: readonly string[];
  /** Estimated number of tokens of all tools. */
  readonly tokens: number;
  readonly calls: number;
  readonly errors: number;
  /** Median duration of the calls, in milliseconds. */
  readonly median: number | null;
  /** Duration that 95 % of the calls do not exceed, in milliseconds. */
  readonly p95: number | null;
  /** Duration that 99 % of the calls do not exceed, in milliseconds. */
  readonly p99: number | null;
  /** Durations of the last calls, the oldest first, in milliseconds. */
  readonly durations: readonly number[];
  /** Grows with each change of the lists of the server. */
  readonly listing: number;
  readonly error: ErrorView | null;
  /** First problem that the doctor found. */
  readonly finding: FindingView | null;
  /** Faults of its next messages. */
  readonly fault?: FaultPlan | null | undefined;
}

/** Fault that the command injects into a message, as `withFaults` of `@tenon/testing` does. */
export type FaultKind = 'drop' | 'duplicate' | 'delay' | 'malformed' | 'replace' | 'cut';

/** Body of `POST /api/servers/NAME/faults`, or `{ kind: null }` for no faults. */
export interface FaultPlan {
  readonly kind: FaultKind;
  /** Messages of calls that it applies to: the request or the response of a call, or each notification of the server. */
  readonly on: 'request' | 'response' | 'notifications';
  /** Applies to each call until the plan is removed. Otherwise the plan ends with the first message. */
  readonly repeat: boolean;
  /** Delay in milliseconds. */
  readonly ms?: number | undefined;
  /** Result in place of the one of the server. */
  readonly result?: Json | undefined;
}

/** One message, without its body. */
export interface WireRow {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly server: string;
  /** Number of the connection. A server has further ones for calls on other versions. */
  readonly connection: number;
  readonly from: 'client' | 'server';
  readonly kind: 'request' | 'result' | 'error' | 'notification';
  /** Method. For a response that of its request. */
  readonly method: string;
  readonly id?: string | number | undefined;
  /** Call to which the message belongs. */
  readonly call?: number | undefined;
  /** Name of the tool, prompt or resource. */
  readonly name?: string | undefined;
  /** Protocol version of the connection, if its messages have told it. */
  readonly version?: string | undefined;
  /** `resultType` of a result, such as `input_required`. */
  readonly resultType?: string | undefined;
  /** True for a result with `isError`. */
  readonly isError?: boolean | undefined;
  /** Methods of the input requests in a result. */
  readonly inputs?: readonly string[] | undefined;
  /** Fault that the user has planned for the message. The row has the message before it, or as it was sent. */
  readonly fault?: FaultKind | undefined;
  /** Size of the message in characters. */
  readonly size: number;
  /** `seq` of the request, for a response. */
  readonly request?: number | undefined;
  /** Time since the request, in milliseconds, for a response. */
  readonly took?: number | undefined;
  /**
   * Connection of a gateway: to one of its callers, or to one of its servers. `app`: between an app of the server, which is
   * the client, and the page. Absent for a connection of the console.
   */
  readonly hop?: 'caller' | 'upstream' | 'app' | undefined;
  /** `seq` of the request that the gateway served when it sent this one. */
  readonly cause?: number | undefined;
}

/** State of a call. `waiting`: the server waits for input of the user. */
export type CallState = 'running' | 'waiting' | 'done' | 'failed' | 'cancelled';

/** One call of the page. */
export interface CallView {
  readonly id: number;
  readonly server: string;
  readonly method: string;
  /** Name of the tool, prompt or resource. */
  readonly name: string;
  readonly protocolVersion: string;
  /** Number of its connection. */
  readonly connection: number;
  readonly state: CallState;
  readonly startedAt: number;
  readonly took: number | null;
  /** Number of messages. */
  readonly messages: number;
  /** Number of requests that the call needed. */
  readonly rounds: number;
  readonly progress: { readonly progress: number; readonly total?: number; readonly message?: string } | null;
  /** The task that the call has become. */
  readonly task: TaskProgress | null;
  /** True if the result has `isError`. */
  readonly isError: boolean;
}

/** States of a task, the oldest first. */
export interface TaskProgress {
  readonly taskId: string;
  readonly states: readonly { readonly time: number; readonly status: string; readonly message: string }[];
}

/** A task as the server lists it. */
export interface TaskView {
  readonly taskId: string;
  readonly status: string;
  readonly message: string;
  readonly createdAt: string;
}

/** Response of `POST /api/servers/NAME/skills`. No file was read. */
export interface SkillsView {
  readonly skills: readonly SkillView[];
  /** One sentence for each entry that is not valid. */
  readonly errors: readonly string[];
}

/** A skill as its server lists it. */
export interface SkillView {
  /** URI of its `SKILL.md`. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** Fields at the beginning of `SKILL.md`. */
  readonly frontmatter: Json;
  /** `null`: the content is generated, and has no digest. */
  readonly files: readonly (FileDigest & { readonly uri: string })[] | null;
}

/** Digest and size of a file. */
export interface FileDigest {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** Size, in bytes. Absent if the server does not list it. */
  readonly size?: number | undefined;
}

/** Response of `POST /api/servers/NAME/skill-file` with the `uri` of a skill and the `path` of a file. */
export interface SkillFileView {
  /** URI of the file. */
  readonly uri: string;
  /** Digest and size in the entry of the skill. */
  readonly listed: FileDigest | null;
  /** Computed from the content. `null`: there is none. */
  readonly read: (FileDigest & { readonly size: number }) | null;
  /** Text of the file. `null`: there is none, or it is not UTF-8. A long one is cut. */
  readonly text: string | null;
  /** One sentence for each reason not to use the file. */
  readonly issues: readonly string[];
}

/** Body of `POST /api/apps`. */
export interface AppRequestBody {
  readonly server: string;
  /** Tool that names the app. */
  readonly tool: string;
  /** Finished call of the tool that the app shows. */
  readonly call?: number | undefined;
  /** Origin of the page. */
  readonly origin: string;
}

/** Response of `POST /api/apps`. The app is open until `DELETE /api/apps/ID`. */
export interface OpenedApp {
  readonly id: number;
  /** Address of its frame, at the second origin of the command. */
  readonly sandboxUrl: string;
  /** Definition of the tool. */
  readonly tool: Json;
  /** Arguments and result of the call, with masked secrets. `null`: the app shows no call. */
  readonly call: { readonly arguments: Json; readonly result: Json | null } | null;
}

/**
 * Body of `POST /api/apps/ID/calls`: a call or a read of an app, which becomes a call of the console. The response is a
 * `CallView`. `POST /api/apps/ID/results` with `{ call }` responds with the result as the server sent it, when it is over.
 */
export interface AppCallBody {
  readonly method: 'tools/call' | 'resources/read';
  readonly params: Json;
}

/** Body of `POST /api/apps/ID/messages`: messages between an app and the page, for the wire. */
export interface AppMessagesBody {
  readonly messages: readonly {
    /** `client`: the app. `server`: the page. */
    readonly from: 'client' | 'server';
    /** Milliseconds since 1970. */
    readonly time: number;
    readonly message: unknown;
  }[];
}

/** A request that the content security policy of an app has refused. */
export interface CspFinding {
  /** Directive of the policy, such as `connect-src`. */
  readonly directive: string;
  /** URL without query and secrets, or a word such as `inline`. */
  readonly blocked: string;
  /** Member of `_meta.ui.csp` that allows it. `null`: none does. */
  readonly member: 'connectDomains' | 'resourceDomains' | 'frameDomains' | 'baseUriDomains' | null;
  /** Origin to add to the member. */
  readonly origin: string | null;
}

/** Findings of a shown app. */
export interface AppFindings {
  readonly id: number;
  readonly findings: readonly CspFinding[];
}

/** Watched resources and lists of a server. */
export interface SubscriptionView {
  readonly id: number;
  readonly server: string;
  readonly uris: readonly string[];
  readonly lists: readonly string[];
  readonly startedAt: number;
  readonly isActive: boolean;
  /** Number of changes. */
  readonly count: number;
  /** Last changes, the newest first. */
  readonly changes: readonly { readonly time: number; readonly changed: string }[];
  readonly error: ErrorView | null;
}

/** A list, an object or a text of a peer of which the page gets the beginning only. */
export interface JsonCut {
  /** Positions of the members that lead to it. */
  readonly path: readonly number[];
  /** Number of members or characters that the page has got. */
  readonly shown: number;
  /** Number of all members or characters. */
  readonly total: number;
}

/**
 * Response of `GET calls/ID/part`, `GET wire/SEQ/part` and of both in a recording, with `?path=0,3&from=100&size=1000`: members of
 * an object or a list, or a piece of a text.
 */
export interface JsonPart {
  readonly value: unknown;
  readonly cuts: readonly JsonCut[];
}

/** A call with its params and its result. Long values are cut. */
export interface CallDetail extends CallView {
  readonly params: Json;
  readonly result: Json | null;
  readonly error: ErrorView | null;
  /** Estimated number of tokens of the result. */
  readonly tokens: number;
  /** Issues of the structured content. `null`: the tool has no output schema. */
  readonly issues: readonly string[] | null;
  /** Cut values. The first position of a path is 0 for `params`, 1 for `result` and 2 for `error`. */
  readonly cuts: readonly JsonCut[];
  /** True if the tool has an app that shows the result. */
  readonly hasApp?: boolean | undefined;
}

/** A call that runs again on another protocol version. */
export interface ComparedRun {
  readonly protocolVersion: string;
  /** `approval`: the user has to allow it. `failed`: there is no connection with this version. */
  readonly state: 'approval' | 'connecting' | 'called' | 'refused' | 'failed';
  readonly call: number | null;
  readonly error: ErrorView | null;
}

/** One call on several protocol versions. */
export interface ComparisonView {
  /** The call that the others repeat. */
  readonly call: number;
  readonly runs: readonly ComparedRun[];
}

/** Something that a server, or the command itself, wants to know from the user. */
export interface InputRequestView {
  readonly id: number;
  /** Name of the server. */
  readonly server: string;
  readonly call: number | null;
  readonly kind: 'form' | 'url' | 'sampling' | 'roots' | 'approval';
  readonly message: string;
  /** Text of several lines: what will run, for an approval. */
  readonly details: string | null;
  /** JSON Schema of the form. */
  readonly schema: Json | null;
  readonly url: string | null;
  /** Params of the request of the server. Long values are cut: the message has them. */
  readonly params: Json | null;
  readonly cuts: readonly JsonCut[];
  readonly createdAt: number;
  /** Time at which the command withdraws it. `null`: it stays open. */
  readonly expiresAt: number | null;
  readonly state: 'open' | 'answered' | 'withdrawn';
  /** Action of the response. */
  readonly action: InputAction | null;
}

export type InputAction = 'accept' | 'decline' | 'cancel';

/** Rights of the token in the address of a page. `read-only`: its requests change nothing and call nothing. */
export type PageRole = 'operator' | 'read-only';

/** Figures of the calls of all callers of a gateway to one server. Each round of a call counts. */
export interface GatewayFigures {
  readonly calls: number;
  /** Number of calls that failed, or whose result has `isError`. */
  readonly errors: number;
  /** Median duration of the last calls, in milliseconds. */
  readonly median: number | null;
  /** Duration that 95 % of the last calls do not exceed, in milliseconds. */
  readonly p95: number | null;
  /** Duration that 99 % of the last calls do not exceed, in milliseconds. */
  readonly p99: number | null;
}

/** Configured server and its state, as `tenon gateway status --json` and `tenon list --json` print it. */
export interface ConfiguredServerState {
  readonly name: string;
  /**
   * `idle`: no caller has needed the server yet. `waiting`: callers must sign in first. `disabled`: by the configuration,
   * or by `tenon gateway disable`. `skipped`: the server is not approved.
   */
  readonly state: string;
  /** Reason why the server is unavailable. */
  readonly reason?: string | undefined;
  readonly transport?: string | undefined;
  /** Negotiated protocol version. */
  readonly protocolVersion?: string | undefined;
  /** Name that the server declares. */
  readonly serverName?: string | undefined;
  /** Version that the server declares. */
  readonly serverVersion?: string | undefined;
  /** Number of offered tools, once their list was read. */
  readonly tools?: number | undefined;
  /** Estimated number of tokens of these tools in the context of a model. */
  readonly tokens?: number | undefined;
  /** Number of open connections, or of processes. */
  readonly connections?: number | undefined;
  /** Number of running calls. */
  readonly calls?: number | undefined;
  /** True if a connected server declares neither tools, prompts nor resources. */
  readonly declaresNothing?: boolean | undefined;
  /** Last error, also if the server has recovered. */
  readonly lastError?: LastServerError | undefined;
}

/** Last error of a configured server. */
export interface LastServerError {
  readonly code: string;
  readonly message: string;
  /** Time in ISO 8601. */
  readonly time: string;
  /** Code of the JSON-RPC error, if the server has responded with one. */
  readonly rpcCode?: number | undefined;
  /** Data of the JSON-RPC error, without secrets. */
  readonly data?: unknown;
}

/** A server of a gateway, with the figures of its calls. */
export interface GatewayServerView extends Omit<ConfiguredServerState, 'lastError'> {
  /** Last error, also if the server has recovered, without what the server has sent. */
  readonly lastError?: Pick<LastServerError, 'code' | 'message' | 'time'> | undefined;
  readonly figures: GatewayFigures;
}

/** Response of `GET /api/gateway`. `POST /api/gateway/NAME/CHANGE` responds with the changed server. */
export interface GatewayView {
  /** Configuration files. */
  readonly files: readonly string[];
  /** URLs at which the gateway serves. */
  readonly endpoints: readonly string[];
  readonly stdio: boolean;
  readonly servers: readonly GatewayServerView[];
}

/** Change of a server of a gateway: the same as by `tenon gateway CHANGE NAME`. */
export type GatewayChange = 'enable' | 'disable' | 'restart' | 'reconnect';

/** Response of `GET /api/gateway/NAME/tools`: the tools that the gateway offers of a server. */
export interface GatewayToolsView {
  /** Estimated number of tokens of all definitions. */
  readonly tokens: number;
  readonly tools: readonly GatewayToolView[];
}

/** A tool that a gateway offers. */
export interface GatewayToolView {
  readonly name: string;
  readonly description: string;
  readonly tokens: number;
  /** Figures of its calls, which are counted by the name of the tool at its server. */
  readonly figures: GatewayFigures;
}

/** A tool that a search has found. */
export interface FoundTool {
  /** Estimated number of tokens of its entry in the result. */
  readonly tokens: number;
  readonly name: string;
  readonly server: string;
  readonly description?: string | undefined;
}

/** Response of `GET /api/gateway/search?query=TEXT`. */
export interface ToolSearchView {
  /** Name of the tool that searches. `null`: the gateway offers no tools. */
  readonly tool: string | null;
  /** The found tools, the best first. */
  readonly tools: readonly FoundTool[];
  /** Estimated number of tokens of the result. */
  readonly tokens: number;
}

/** Caller of an action. Absent members are not known: the caller has not signed in. */
export interface CallerView {
  readonly principal?: string | undefined;
  /** OAuth client. */
  readonly clientId?: string | undefined;
}

/** An effect that a server declares for a tool. */
export type ToolHint =
  | 'only reads'
  | 'may destroy data'
  | 'has the same effect when repeated'
  | 'reaches other systems';

/** An action of a caller that waits for the decision of an operator. Its secrets are masked. */
export interface PendingApprovalView {
  readonly id: string;
  readonly kind: string;
  readonly server: string;
  /** Name of the tool or prompt at its server, or URI of the resource. */
  readonly name: string;
  readonly caller: CallerView;
  /** JSON text of the arguments. */
  readonly arguments: string;
  /** True if `arguments` has only their beginning. */
  readonly isCut: boolean;
  /** Reason why a decision is needed. */
  readonly reason?: string | undefined;
  /** Description of the tool by its server. */
  readonly description?: string | undefined;
  /** Effects of the tool, as its server declares them. */
  readonly hints: readonly ToolHint[];
  readonly askedAt: number;
  /** Time at which the action is denied without a decision. */
  readonly expiresAt: number;
}

/** An approval that also applies to later calls. */
export interface RememberedApprovalView {
  readonly id: string;
  readonly kind: string;
  readonly server: string;
  /** Absent if `scope` says what it applies to. */
  readonly name?: string | undefined;
  readonly caller: CallerView;
  /** Arguments to which it applies. */
  readonly scope: string;
  readonly rememberedAt: number;
  /** Absent if it does not expire. */
  readonly expiresAt?: number | undefined;
}

/** Approvals of all callers of a gateway. */
export interface ApprovalsView {
  /** Number of all pending approvals. `pending` has the oldest ones. */
  readonly count: number;
  readonly pending: readonly PendingApprovalView[];
  /** The newest ones first. */
  readonly remembered: readonly RememberedApprovalView[];
  /** Error of the store, from which they are read. */
  readonly error: ErrorView | null;
}

/** Body of `POST /api/approvals/ID`. `DELETE /api/approvals/ID` revokes a remembered approval. */
export interface ApprovalDecision {
  readonly decision: 'allow' | 'deny';
  /** Later calls to approve too: with the same arguments, or with any. Default: none. */
  readonly remember?: 'exact' | 'always' | undefined;
}

/** Action of a rule of a policy. */
export type PolicyAction = 'allow' | 'ask' | 'deny';

/** Decision of a policy, as `tenon policy explain --json` prints it. */
export interface PolicyDecision {
  readonly action: PolicyAction;
  /** Number of the rule that decided, from 1. `null`: no rule matches. */
  readonly rule: number | null;
  readonly reason: string;
}

/** Decision of the policy of a gateway about a call of any caller. */
export interface DecisionView extends PolicyDecision {
  readonly id: number;
  readonly time: number;
  readonly kind: string;
  readonly server: string;
  /** Name of the tool or prompt at its server, or URI of the resource. */
  readonly name: string;
  readonly caller: CallerView;
}

/** Response of `GET /api/policy/decisions?action=deny&text=TEXT`. */
export interface DecisionsView {
  /** Number of all decisions that match. */
  readonly count: number;
  /** The newest ones first. */
  readonly decisions: readonly DecisionView[];
}

/** Response of `GET /api/policy/explain?call=ID` and of `?decision=ID`. */
export interface ExplanationView {
  /** `null`: no policy has decided about the call. */
  readonly decision: DecisionView | null;
  /** Output of `tenon policy explain`. */
  readonly explanation: string;
}

/** Response of `GET /api/policy`, and of `POST /api/policy` with `{ text, digest }`, which saves it. */
export interface PolicyView {
  /** `null`: the gateway has no policy. */
  readonly file: string | null;
  readonly text: string;
  /** Identifies the text, so that a change by another program is noticed. */
  readonly digest: string;
  /** True if the gateway applies a saved policy at once. */
  readonly isReloaded: boolean;
  /** Number of the rules in force. */
  readonly rules: number;
  readonly quotas: number;
  /** Action for calls that match no rule. */
  readonly fallback: PolicyAction;
  readonly error: ErrorView | null;
}

/** Call about which a changed policy decides differently. */
export interface ChangedDecisionView {
  /** Line of the recording, or number of the decision. */
  readonly line: number;
  readonly kind: string;
  readonly server: string;
  readonly name: string;
  readonly before: PolicyDecision;
  readonly after: PolicyDecision;
}

/**
 * Response of `POST /api/policy/try` with `{ text, recording }`: the output of `tenon policy try --json`, and two numbers.
 * Without the name of a recording, the decisions about all callers are tried.
 */
export interface PolicyTrialView {
  readonly calls: number;
  readonly counts: { readonly before: ActionCounts; readonly after: ActionCounts };
  /** Number of changed decisions. `changes` has the first ones. */
  readonly changed: number;
  readonly changes: readonly ChangedDecisionView[];
  /** Number of calls whose arguments were too long to be kept. */
  readonly untried: number;
}

/** Number of calls for each action. */
export type ActionCounts = Readonly<Record<PolicyAction, number>>;

/** Change of a server against the lock of a gateway. */
export interface DriftView {
  readonly id: string;
  readonly server: string;
  readonly of: string;
  readonly name: string;
  readonly kind: string;
  /** `approve`: blocked until it is accepted. */
  readonly severity: 'approve' | 'note';
  /** First line of the output of `tenon lock`. */
  readonly title: string;
  /** Further lines, each with its sign: `- Tells a price`. Characters that cannot be seen have their names. */
  readonly lines: readonly string[];
  /** False if only another change of the server or of its configuration ends it. */
  readonly isAcceptable: boolean;
}

/** Response of `GET /api/lock`. `POST /api/lock/accept` with `{ ids }` writes changes into the lock, and has the same response. */
export interface LockView {
  /** `null`: the gateway has no lock. */
  readonly file: string | null;
  /** Number of all changes. */
  readonly count: number;
  /** Those to be approved first. */
  readonly drifts: readonly DriftView[];
  /** Servers whose definitions cannot be read. */
  readonly unavailable: readonly { readonly server: string; readonly reason: string }[];
  readonly error: ErrorView | null;
}

/** Response of `GET /api/servers/NAME/snapshots?before=ID&after=ID`. Default: the first and the last one. */
export interface SnapshotsView {
  /** The last times at which the definitions of the server were others than before, the oldest first. */
  readonly snapshots: readonly { readonly id: number; readonly time: number }[];
  /** Compared snapshots. `null`: there is none. */
  readonly before: number | null;
  readonly after: number | null;
  /** Number of all changes. */
  readonly count: number;
  readonly changes: readonly Pick<DriftView, 'id' | 'title' | 'lines'>[];
}

/** Part of a sign-in, in the order of the standards. */
export type SignInPhase =
  | 'challenge'
  | 'resource-metadata'
  | 'issuer-metadata'
  | 'registration'
  | 'authorization'
  | 'token'
  | 'access'
  | 'refresh'
  | 'step-up';

/** A request of a sign-in with its response. Secrets are masked. */
export interface SignInExchange {
  readonly id: number;
  readonly phase: SignInPhase;
  /** Reason of the request: the first sign-in, a renewal, or more scopes. */
  readonly round: 'sign-in' | 'refresh' | 'step-up';
  readonly time: number;
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: readonly (readonly [name: string, value: string])[];
  /** JSON with indentation, or one parameter of a form in each line. */
  readonly requestBody: string;
  /** `null`: there is no response yet, or none came. */
  readonly status: number | null;
  readonly responseHeaders: readonly (readonly [name: string, value: string])[];
  readonly responseBody: string;
  readonly took: number | null;
  readonly error: string | null;
}

/** A sentence of a standard. `open`: nothing has shown yet that it is met. */
export interface SignInRequirement {
  readonly phase: SignInPhase;
  readonly document: string;
  readonly section: string;
  readonly url: string;
  readonly text: string;
  readonly state: 'met' | 'broken' | 'open';
}

/** A sign-in that the user tries. `held`: the next request waits for the user. `waiting`: the page to sign in is open. */
export interface SignInView {
  readonly id: number;
  readonly url: string;
  /** Server of the console, if the URL is one of it. */
  readonly server: string | null;
  readonly version: string;
  readonly state: 'running' | 'held' | 'waiting' | 'done' | 'failed';
  /** True if `POST /api/sign-ins/ID/page` responds with the address of the page to sign in. */
  readonly hasPage: boolean;
  readonly exchanges: readonly SignInExchange[];
  readonly findings: readonly (FindingView & { readonly phase: SignInPhase })[];
  readonly requirements: readonly SignInRequirement[];
  readonly error: ErrorView | null;
  /** The token without its text. */
  readonly token: {
    /** Milliseconds. `null`: the authorization server has not told it. */
    readonly expiresIn: number | null;
    readonly isRefreshable: boolean;
    readonly scopes: string | null;
    readonly audience: readonly string[];
  } | null;
  /** True if the token can be renewed, and more scopes requested. */
  readonly canContinue: boolean;
}

/** Body of `POST /api/sign-ins`. The response is a `SignInView`. */
export interface SignInRequest {
  /** Server of the console. Default: `url`. */
  readonly server?: string | undefined;
  readonly url?: string | undefined;
  readonly version?: string | undefined;
  /** Holds each request until `POST /api/sign-ins/ID/next`. */
  readonly stepwise?: boolean | undefined;
  /** Client that is registered by hand. Default: dynamic registration. */
  readonly clientId?: string | undefined;
  readonly scopes?: string | undefined;
}

/** Sign-in of a caller of the gateway at a server. */
export interface CallerSignInView {
  readonly id: string;
  readonly caller: CallerView;
  /** Name of the server in the gateway. */
  readonly server: string;
  readonly url: string;
  /** Client at the authorization server. `null`: it has registered itself. */
  readonly clientId: string | null;
}

/** Sign-ins of the callers of a gateway. */
export interface CallerSignInsView {
  /** `null`: callers do not sign in at the servers of this gateway. */
  readonly signIns: readonly CallerSignInView[] | null;
}

/** Entry of an audit log. */
export interface AuditEntryView {
  readonly file: string;
  readonly seq: number;
  /** Time as ISO 8601. */
  readonly time: string;
  readonly action: string;
  readonly replica?: string | undefined;
  readonly principal?: string | undefined;
  readonly server?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly rule?: number | undefined;
  readonly reason?: string | undefined;
  readonly outcome?: string | undefined;
  readonly ms?: number | undefined;
  /** The entry as `tenon audit show --json` prints it. */
  readonly entry: Json;
}

/** Response of `GET /api/audit?text=&caller=&tool=&action=&since=&until=&before=NEXT`. */
export interface AuditView {
  readonly files: readonly string[];
  /** The newest ones first. */
  readonly entries: readonly AuditEntryView[];
  /** Number of all entries that match. */
  readonly count: number;
  /** Place of the entries after these. `null`: there are none. */
  readonly next: string | null;
  /** Number of lines that are no entries. */
  readonly invalid: number;
  readonly error: ErrorView | null;
}

/** Response of `GET /api/audit/verify`: the verification of all logs together, as `tenon audit verify --json` prints it. */
export interface AuditVerificationView {
  readonly ok: boolean;
  readonly logs: readonly {
    readonly file: string;
    readonly ok: boolean;
    readonly lines: number;
    readonly head: { readonly seq: number; readonly hash: string } | undefined;
    readonly replica?: string | undefined;
    readonly finding?: { readonly line: number; readonly what: string } | undefined;
    readonly at?: { readonly file: string; readonly line: number } | undefined;
    readonly unshown: readonly string[];
  }[];
  /** Logs of other replicas that are not shown here. */
  readonly missing: readonly { readonly replica: string; readonly seq: number }[];
}

/** Lines of `GET /api/events?after=SEQ`. */
export type ConsoleEvent =
  | {
      readonly type: 'hello';
      readonly version: string;
      readonly protocolVersions: readonly string[];
      /** Version that the command uses for new servers. `null`: the newest of both sides. */
      readonly protocolVersion: string | null;
      /** Folder in which paths and commands are resolved. */
      readonly folder: string;
      readonly role: PageRole;
      /** True if the page belongs to a gateway. */
      readonly isGateway: boolean;
      /** Identifies the process of the command: rows of another one are worthless. */
      readonly run: string;
    }
  | { readonly type: 'server'; readonly server: ServerView }
  | { readonly type: 'removed'; readonly server: string }
  | { readonly type: 'wire'; readonly rows: readonly WireRow[] }
  /** Messages before `first` are gone. */
  | { readonly type: 'gap'; readonly first: number }
  | { readonly type: 'call'; readonly call: CallView }
  | { readonly type: 'subscription'; readonly subscription: SubscriptionView }
  | { readonly type: 'recording'; readonly recording: RecordingView }
  | { readonly type: 'comparison'; readonly comparison: ComparisonView }
  | { readonly type: 'input-request'; readonly request: InputRequestView }
  | { readonly type: 'sign-in'; readonly attempt: SignInView }
  | { readonly type: 'sign-in-removed'; readonly id: number }
  | { readonly type: 'app'; readonly app: AppFindings }
  | { readonly type: 'approvals'; readonly approvals: ApprovalsView };

/** Body of `POST /api/servers`. */
export interface AddServerRequest {
  /** A target of the command line, or the text of a configuration: `mcp.json`, or the file of another host. */
  readonly target: string;
  /** Headers of each request, for a server at a URL. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Environment variables, for a server that is a program. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** `null`: the newest version of both sides. Default: the one of the command. */
  readonly version?: string | null | undefined;
}

/** Body of `POST /api/servers/NAME/reconnect`. */
export interface ReconnectRequest {
  /** `null`: the newest version of both sides. */
  readonly version?: string | null | undefined;
}

/** Body of `POST /api/calls`. */
export interface CallRequestBody {
  readonly server: string;
  readonly method: string;
  readonly params: Json;
  /** Maximum time without progress, in milliseconds. */
  readonly timeout?: number | undefined;
}

/** Body of `POST /api/calls/ID/compare`. */
export interface CompareBody {
  readonly versions: readonly string[];
}

/** Body of `POST /api/input-requests/ID`. */
export interface InputResponse {
  readonly action: InputAction;
  readonly content?: Json | undefined;
}

/** Response of `GET /api/servers/NAME`: the output of `tenon list --json`, without schemas that are too large for the page. */
export interface ListingView {
  readonly server: { readonly name: string; readonly version: string; readonly title?: string | undefined } | null;
  readonly protocolVersion: string;
  readonly instructions: string | null;
  readonly tokens: number;
  readonly tools: readonly ToolView[];
  readonly resources: readonly (Json & { readonly uri: string; readonly name: string })[];
  readonly resourceTemplates: readonly (Json & { readonly uriTemplate: string; readonly name: string })[];
  readonly prompts: readonly (Json & { readonly name: string })[];
  /** Lists that could not be read. They are empty above. */
  readonly failedLists: readonly (ErrorView & {
    readonly list: 'tools' | 'resources' | 'resourceTemplates' | 'prompts';
  })[];
}

/** A tool as the server sent it, with its signature and size. Long descriptions are cut, and a large output schema is absent. */
export interface ToolView {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Json;
  readonly outputSchema?: Json | undefined;
  readonly annotations?: Json | undefined;
  readonly _meta?: Json | undefined;
  readonly signature: string;
  readonly tokens: number;
  /** Reason for which `inputSchema` allows any object in place of the schema of the server. */
  readonly schemaIssue?: string | undefined;
}

/** An HTTP request below a message, with its response. Secrets are masked. */
export interface HttpExchangeView {
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: readonly (readonly [name: string, value: string])[];
  /** `null`: there is no response yet, or none came. */
  readonly status: number | null;
  readonly responseHeaders: readonly (readonly [name: string, value: string])[];
  /** Time until the headers of the response, in milliseconds. */
  readonly firstByte: number | null;
  /** Time until the end of the response, in milliseconds. `null`: it is open. */
  readonly took: number | null;
}

/** Response of `GET /api/calls/ID/http`: the HTTP requests of each message of a call. */
export interface CallHttpView {
  readonly messages: readonly { readonly seq: number; readonly exchanges: readonly HttpExchangeView[] }[];
}

/** Response of `GET /api/wire/SEQ`. */
export interface MessageView {
  readonly row: WireRow;
  /** The message without secrets. Long values are cut. */
  readonly value: unknown;
  readonly cuts: readonly JsonCut[];
  /** Size of the JSON text, in characters. */
  readonly size: number;
  /** HTTP requests below the message. For a response, those of its request. */
  readonly http: readonly HttpExchangeView[];
}

/** Response of `GET /api/wire/SEQ/text?from=0&size=256000`: a piece of the JSON text of a message. */
export interface MessageText {
  readonly text: string;
  /** Size of the whole text, in characters. */
  readonly size: number;
}

/** Body of `POST /api/wire/search`. */
export interface SearchRequest {
  /** Texts to find, in any case. At most 20. */
  readonly texts: readonly string[];
  /** Searches only the messages after this one. */
  readonly after: number;
}

/** Response of `POST /api/wire/search`. */
export interface SearchResult {
  /** Messages with each of the texts. */
  readonly found: readonly (readonly number[])[];
  /** Last message that was searched. */
  readonly last: number;
}

/** Form in which a call is copied. `tenon`: a line of the command. */
export type CopyFormat = 'curl' | 'tenon' | 'json' | 'typescript';

/** Response of `GET /api/calls/ID/copy?as=FORMAT&shell=SHELL`. */
export interface CallCopy {
  readonly text: string;
  /** Environment variables that the text reads in place of secrets. */
  readonly variables: readonly string[];
}

/** Body of `POST /api/recordings`: the messages of a recording. Default: all messages. */
export interface RecordingSelection {
  readonly calls?: readonly number[] | undefined;
  /** `seq` of messages. */
  readonly messages?: readonly number[] | undefined;
}

/** Response of `POST /api/recordings`: a file in the form of `tenon record`. */
export interface RecordingExport {
  readonly name: string;
  readonly text: string;
  /** Number of messages that are not in memory any more. */
  readonly missing: number;
}

/** Body of `POST /api/tests`. */
export interface TestRequest {
  /** Finished calls, one test for each. */
  readonly calls: readonly number[];
}

/** Response of `POST /api/tests`: a test file for Vitest. */
export interface TestExport {
  readonly name: string;
  readonly text: string;
}

/** A recording that is shown beside the live session. */
export interface RecordingView {
  /** Name in addresses. */
  readonly name: string;
  readonly servers: readonly string[];
  readonly messages: number;
  readonly calls: number;
  /** Times of the first and the last message, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** True if the recording has no end. */
  readonly isTruncated: boolean;
}

/** Response of `GET /api/recordings/NAME?after=SEQ`: the next rows, and their calls. The bodies are at `recordings/NAME/wire/SEQ`, and the calls at `recordings/NAME/calls/ID`. */
export interface RecordedSession {
  readonly recording: RecordingView;
  readonly rows: readonly WireRow[];
  readonly calls: readonly CallView[];
}

/** Body of `POST /api/recordings/open`. The response has the `name` of the recording. */
export interface OpenRecordingRequest {
  /** Name of the file. */
  readonly name: string;
  readonly text: string;
}

/** Body of `POST /api/recordings/NAME/replay`. The response is the new call. */
export interface ReplayRequest {
  readonly call: number;
  /** Server that is connected now. */
  readonly server: string;
}

/** A message that proves a bar of a trace. */
export interface TraceProof {
  /** Recording with the message. `null`: the live session. */
  readonly recording: string | null;
  readonly seq: number;
}

/** A moment of a bar: a notification, the state of a task, or a decision of the policy. */
export interface TraceMark {
  readonly kind: 'progress' | 'notification' | 'task' | 'decision';
  /** Milliseconds since 1970, on the clock of the trace. */
  readonly time: number;
  readonly label: string;
  /** `null`: no message shows it. */
  readonly proof: TraceProof | null;
}

/**
 * A bar of a trace. `call`: a call with several requests. `request`: a request until its response. `task`: from the result that
 * created a task until its last status. Requests for its status are marks of it. `input`: from the result that requests input
 * until the request with the responses. `own`: time in which a gateway has sent no request. `approval`:
 * time in which it has waited for an approval.
 */
export interface TraceBar {
  readonly id: number;
  /** Bar that has caused it. `null` for the first one. */
  readonly parent: number | null;
  readonly depth: number;
  readonly kind: 'call' | 'request' | 'task' | 'input' | 'own' | 'approval';
  /** Sender and receiver, or the process that works. */
  readonly hop: string;
  readonly label: string;
  /** Milliseconds since 1970, on the clock of the trace. */
  readonly start: number;
  /** `null`: there is no response. */
  readonly end: number | null;
  readonly state: 'ok' | 'error' | 'waiting' | 'open' | 'cancelled';
  /** Result in a few words, such as `input_required`. */
  readonly outcome: string;
  /** Reason for its place in the trace. */
  readonly join: string;
  /** False if the reason does not prove it. */
  readonly isCertain: boolean;
  /** Recording with its messages. `null`: the live session. */
  readonly recording: string | null;
  /** Milliseconds by which it was moved, because the clocks of two processes differ. */
  readonly shift: number;
  /** Milliseconds by which it ends after its parent. */
  readonly late: number;
  readonly proofs: readonly TraceProof[];
  readonly marks: readonly TraceMark[];
}

/** Response of `GET trace/SEQ` and `GET recordings/NAME/trace/SEQ`: all that belongs to the call of a message. */
export interface TraceView {
  readonly title: string;
  /** Milliseconds since 1970, on the clock of the trace. */
  readonly start: number;
  readonly end: number;
  /** Each bar follows its parent. */
  readonly bars: readonly TraceBar[];
  /** Moved clocks, by recording. */
  readonly shifts: readonly { readonly recording: string | null; readonly by: number }[];
  /** Number of bars that are left out because there are too many. */
  readonly omitted: number;
  /** True if a request has no response yet. */
  readonly isOpen: boolean;
}
