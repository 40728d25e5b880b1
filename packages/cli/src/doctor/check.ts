import type { Client, Prompt, ProtocolVersion, Resource, ResourceTemplate, TenonError, Tool } from 'tenon';
import type { AuthExceptions } from 'tenon/auth';
import type { ResolvedTarget } from '../target/resolve-target.js';
import type { ListFailure } from '../tools/read-server-lists.js';
import type { Finding, FindingFactory } from './finding.js';
import type { HttpProbe } from './http-probe.js';
import type { StdioObservation } from './observe-stdio.js';

/** Server to examine. */
export type DoctorTarget = ResolvedTarget['target'];

/** Outcome of a connection with one protocol version. `error` is absent if the version is supported. */
export interface VersionOutcome {
  readonly version: ProtocolVersion;
  readonly error?: TenonError | undefined;
  /** Error of `ping`, in the newest supported version with a handshake. Absent if it works, or was not sent. */
  readonly pingError?: TenonError | undefined;
}

/** Capability that the server has although it does not declare it. */
export interface UndeclaredCapability {
  readonly capability: 'tools' | 'prompts' | 'resources';
  /** Names of the entries of its list. */
  readonly entries: readonly string[];
}

/** Connection of the doctor. */
export interface Connection {
  readonly client: Client;
  /** Time to connect, in milliseconds. It includes the start of a process, and the negotiation. */
  readonly connectTime: number;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly (Resource | ResourceTemplate)[];
  /** Lists that could not be read. */
  readonly failures: readonly ListFailure[];
  /** Error with which the server refused a log level, although it declares the capability `logging`. */
  readonly logLevelError: TenonError | undefined;
  /** Errors that the client reported while it listed the tools: entries that it dropped, for example. */
  readonly reported: readonly TenonError[];
}

/** Input of the checks. */
export interface DoctorContext {
  readonly target: DoctorTarget;
  /** Transport that answers. Undefined if none does. */
  readonly transport: 'http' | 'http-sse' | 'stdio' | 'memory' | undefined;
  /** URL of the server. Undefined for a process. */
  readonly url: URL | undefined;
  /** Sends raw requests to the URL, with the headers of the user. Undefined without a URL. */
  readonly http: HttpProbe | undefined;
  /** Sends raw requests without the headers and tokens of the user. Undefined for a process. */
  readonly anonymous: HttpProbe | undefined;
  /** Observations of the process. Undefined if no process is started. */
  readonly stdio: StdioObservation | undefined;
  /** Undefined if no connection could be made. */
  readonly connection: Connection | undefined;
  /** Capabilities that the server has although it does not declare them. */
  readonly undeclared: readonly UndeclaredCapability[];
  /** Error of the connection. */
  readonly error: TenonError | undefined;
  /** Outcomes of all versions, newest first. */
  readonly versions: readonly VersionOutcome[];
  /** Newest version with a handshake that the server supports. */
  readonly handshakeVersion: ProtocolVersion | undefined;
  /** Newest version without a handshake that the server supports. */
  readonly statelessVersion: ProtocolVersion | undefined;
  /** Deviations of the authorization server that the user accepts. */
  readonly authExceptions: AuthExceptions;
  /** Calls that the user allowed with `--call`. */
  readonly calls: readonly string[];
  /** True if read-only tools without required arguments may be called. */
  readonly allowCalls: boolean;
  /** Number of repetitions of each measurement. */
  readonly samples: number;
  /** Returns the time, in milliseconds. */
  readonly now: () => number;
}

/** Group of examinations. */
export interface Check {
  /** Id: the first part of the ids of its findings. */
  readonly id: string;
  /** Heading of the group. */
  readonly title: string;
  /** Condition to run. The check is skipped without it. */
  readonly requires?: 'http' | 'stdio' | 'connection' | 'calls';
  run(context: DoctorContext, findings: FindingFactory): Promise<readonly Finding[]> | readonly Finding[];
}
