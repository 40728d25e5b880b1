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
  readonly counts: { readonly tools: number; readonly resources: number; readonly prompts: number } | null;
  /** Estimated number of tokens of all tools. */
  readonly tokens: number;
  readonly calls: number;
  readonly errors: number;
  /** Median duration of the calls, in milliseconds. */
  readonly median: number | null;
  /** Duration that 95 % of the calls do not exceed, in milliseconds. */
  readonly p95: number | null;
  /** Durations of the last calls, the oldest first, in milliseconds. */
  readonly durations: readonly number[];
  /** Grows with each change of the lists of the server. */
  readonly listing: number;
  readonly error: ErrorView | null;
  /** First problem that the doctor found. */
  readonly finding: FindingView | null;
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
  /** Size of the message in characters. */
  readonly size: number;
  /** `seq` of the request, for a response. */
  readonly request?: number | undefined;
  /** Time since the request, in milliseconds, for a response. */
  readonly took?: number | undefined;
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

/** A call with its params and its result. */
export interface CallDetail extends CallView {
  readonly params: Json;
  readonly result: Json | null;
  readonly error: ErrorView | null;
  /** Estimated number of tokens of the result. */
  readonly tokens: number;
  /** Issues of the structured content. `null`: the tool has no output schema. */
  readonly issues: readonly string[] | null;
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
  /** Params of the request of the server. */
  readonly params: Json | null;
  readonly createdAt: number;
  /** Time at which the command withdraws it. `null`: it stays open. */
  readonly expiresAt: number | null;
  readonly state: 'open' | 'answered' | 'withdrawn';
  /** Action of the response. */
  readonly action: InputAction | null;
}

export type InputAction = 'accept' | 'decline' | 'cancel';

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
  | { readonly type: 'input-request'; readonly request: InputRequestView };

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

/** Response of `GET /api/servers/NAME`: the output of `tenon list --json`. */
export interface ListingView {
  readonly server: { readonly name: string; readonly version: string; readonly title?: string } | null;
  readonly protocolVersion: string;
  readonly instructions: string | null;
  readonly tokens: number;
  readonly tools: readonly ToolView[];
  readonly resources: readonly (Json & { readonly uri: string; readonly name: string })[];
  readonly resourceTemplates: readonly (Json & { readonly uriTemplate: string; readonly name: string })[];
  readonly prompts: readonly (Json & { readonly name: string })[];
}

/** A tool as the server sent it, with its signature and size. */
export interface ToolView {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Json;
  readonly outputSchema?: Json;
  readonly annotations?: Json;
  readonly signature: string;
  readonly tokens: number;
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
  /** JSON text without secrets. */
  readonly text: string;
  /** Size of the whole text, in characters. `text` has its beginning. */
  readonly size: number;
  /** True if `text` is complete. */
  readonly isWhole: boolean;
  /** HTTP requests below the message. For a response, those of its request. */
  readonly http: readonly HttpExchangeView[];
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

/** Response of `GET /api/recordings/NAME`. The bodies are at `recordings/NAME/wire/SEQ`, and the calls at `recordings/NAME/calls/ID`. */
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
