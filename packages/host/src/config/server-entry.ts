import { type ArgumentChanges, checkArray, checkEither, checkObject, checkString } from '@tenon/base';
import type { Credential, OpenApiOptions } from '@tenon/openapi';
import type { AssumableCapability, ClientOptions } from 'tenon';
import type { AuthExceptions } from 'tenon/auth';
import type { CallerTemplates } from './caller-template.js';

/** Checks the target of a server: a command or a URL. */
export const checkTarget = checkEither(
  checkObject({ command: checkString, 'args?': checkArray(checkString) }),
  checkObject({ url: checkString }),
);
/** Checks a server of a configuration. */
export const checkServerEntry = checkObject({ name: checkString, target: checkTarget });

/** Server of a configuration. */
export interface ServerEntry {
  /** Key of the server in the configuration. */
  readonly name: string;
  /** Command or URL of the server. */
  readonly target: CommandTarget | UrlTarget;
  /**
   * True if the host must not use the server.
   * @default `false`
   */
  readonly disabled?: boolean | undefined;
  /**
   * Time limit for starting or connecting to the server, in milliseconds. A process that makes progress gets up to ten
   * times as much.
   * @default that of the host
   */
  readonly startTimeout?: number | undefined;
  /**
   * Idle timeout of a call, in milliseconds.
   * @default that of `ClientOptions`
   */
  readonly idleTimeout?: number | undefined;
  /**
   * Total timeout of a call, in milliseconds.
   * @default that of `ClientOptions`
   */
  readonly totalTimeout?: number | undefined;
  /**
   * True if the policy may trust the tool annotations of the server.
   * @default `false`
   */
  readonly trusted?: boolean | undefined;
  /**
   * Deviations from the specification that the host accepts of the authorization server of this server. Each one
   * removes a protection, so only the user's own configuration may have them.
   * @default none
   */
  readonly authExceptions?: AuthExceptions | undefined;
  /**
   * Credentials of a service account, with which the host calls a server at a URL for all callers.
   * @default none
   */
  readonly serviceAccount?: ServiceAccount | undefined;
  /**
   * Tools to offer, and their names and texts.
   * @default all tools, unchanged
   */
  readonly tools?: ToolSettings | undefined;
  /**
   * Root URIs that this server receives.
   * @default those of the host
   */
  readonly roots?: readonly string[] | undefined;
  /**
   * Sharing of one process among sessions of the same user and OAuth client. `true`: all sessions share one process,
   * or one connection to a URL, and the server cannot request input. `false`: each session has its own.
   *
   * Every other session has its own.
   *
   * @default sessions whose clients support none of roots, sampling and elicitation share one process
   */
  readonly share?: boolean | undefined;
  /**
   * Refuses each deviation of the server from the protocol.
   * @default that of the host
   */
  readonly strict?: boolean | undefined;
  /**
   * Capabilities to use although the server does not declare them. A server that does not expect such requests could
   * run code that its author did not mean to publish.
   * @default none
   */
  readonly assumeCapabilities?: readonly AssumableCapability[] | undefined;
  /**
   * The only protocol version to use with the server, such as `2025-11-25` for one that answers `server/discover` with an
   * error of HTTP each time.
   * @default the newest of both sides
   */
  readonly protocolVersion?: ClientOptions['protocolVersion'];
  /**
   * Environment variables, headers and URL that contain values of the caller, such as `${caller:user}`. They replace
   * those of the target, and each caller with other values gets another process or connection.
   * @default all callers have the same environment, headers and URL
   */
  readonly perCaller?: CallerTemplates | undefined;
  /** Position of the entry in its configuration file. Absent for an entry of the program. */
  readonly origin?: EntryOrigin | undefined;
}

/** Client of an authorization server that signs in without a user. */
export interface ServiceAccount {
  /** ID of the client, which is registered by hand. */
  readonly clientId: string;
  /**
   * Secret of the client.
   * @default `privateKey`
   */
  readonly clientSecret?: string | undefined;
  /**
   * Private key of the client, as PKCS #8 in PEM.
   * @default `clientSecret`
   */
  readonly privateKey?: string | undefined;
  /**
   * Authorization server to which the credentials may be sent.
   * @default the first one in the metadata of the server
   */
  readonly issuer?: string | undefined;
  /**
   * Scopes, separated by spaces.
   * @default those of the server
   */
  readonly scopes?: string | undefined;
}

/** Tools of a server that the host offers. Patterns and names are those of the server. */
export interface ToolSettings {
  /**
   * Patterns (`*`) of tools to offer.
   * @default all tools
   */
  readonly include?: readonly string[] | undefined;
  /**
   * Patterns (`*`) of tools not to offer.
   * @default none
   */
  readonly exclude?: readonly string[] | undefined;
  /**
   * Other names, texts and arguments, by the name of the tool at the server. A tool whose name another tool gets is not offered.
   * @default none
   */
  readonly overrides?: Readonly<Record<string, ToolOverride>> | undefined;
}

/** Name, texts and arguments of a tool for callers, in place of those of the server. */
export interface ToolOverride extends ArgumentChanges {
  /**
   * Name, before the prefix of the server is added.
   * @default that of the server
   */
  readonly name?: string | undefined;
  /**
   * Display name.
   * @default that of the server
   */
  readonly title?: string | undefined;
  /**
   * Description for the model.
   * @default that of the server
   */
  readonly description?: string | undefined;
}

/** Position of a server in a configuration file. */
export interface EntryOrigin {
  /** Path of the file. */
  readonly file: string;
  /** Line number, from 1. */
  readonly line: number;
  /** Author of the file: the user, or the authors of a project. Servers of a project run only after approval. */
  readonly scope: 'user' | 'project';
}

/** Server that a command starts, with the stdio transport. */
export interface CommandTarget {
  /** Program to start. */
  readonly command: string;
  /**
   * Arguments of the program.
   * @default none
   */
  readonly args?: readonly string[] | undefined;
  /**
   * Environment variables, in addition to a safe subset of the host's.
   * @default none
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * Working directory.
   * @default that of the host
   */
  readonly cwd?: string | undefined;
  /**
   * Beginning of the name of the container that the command `docker run` starts. See `container` of `StdioTarget`.
   * @default none
   */
  readonly container?: string | undefined;
}

/** Server at a URL, or server of an OpenAPI document. */
export interface UrlTarget {
  /** URL of the MCP endpoint, or of the OpenAPI document. */
  readonly url: string;
  /**
   * Header fields of every request.
   * @default none
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Transport. `openapi`: the host serves the operations of the document in this process.
   * @default Streamable HTTP, then HTTP+SSE
   */
  readonly transport?: 'http' | 'http-sse' | 'openapi' | undefined;
  /**
   * URL of the API of an OpenAPI document.
   * @default the first server of the document
   */
  readonly apiUrl?: string | undefined;
  /**
   * Settings of an OpenAPI document.
   * @default those of `openapi`
   */
  readonly openapi?: OpenApiSettings | undefined;
}

/** Settings of an OpenAPI document in a configuration, with the meaning that they have in the options of `openapi`. */
export interface OpenApiSettings extends Pick<OpenApiOptions, 'resources' | 'serverOrigins'> {
  /**
   * Credentials by the keys of the security schemes of the document. They go to the origin of the API only.
   * @default none
   */
  readonly auth?: Readonly<Record<string, Credential>> | undefined;
}

/** Parsed server entry, with its values before their variables were resolved. */
export interface ConfiguredEntry extends ServerEntry {
  /**
   * Values before their variables were resolved, by key (`command`, `args[0]`, `env.TOKEN`, …). They may contain
   * secrets.
   */
  readonly written?: Readonly<Record<string, string>> | undefined;
}
