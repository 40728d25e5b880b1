/** One server, as a configuration names it. */
export interface ServerEntry {
  /** Its key in the configuration. */
  readonly name: string;
  /** Command or URL of the server. */
  readonly target: CommandTarget | UrlTarget;
  /** The server is configured and not used. Default false. */
  readonly disabled?: boolean | undefined;
  /** Time that the server may take to open, in milliseconds. Default of the host: 30,000. */
  readonly startTimeout?: number | undefined;
  /** In milliseconds, as of `ClientOptions`. */
  readonly idleTimeout?: number | undefined;
  /** In milliseconds, as of `ClientOptions`. */
  readonly totalTimeout?: number | undefined;
  /** True if the policy may trust its annotations. Default `false`. */
  readonly trusted?: boolean | undefined;
  /** Patterns (`*`) of tools to offer, and of those not to. */
  readonly tools?:
    | { readonly include?: readonly string[] | undefined; readonly exclude?: readonly string[] | undefined }
    | undefined;
  /** Roots that this server may know, as URIs; absent: those of the host. */
  readonly roots?: readonly string[] | undefined;
  /**
   * Sharing of one process among sessions of the same user and OAuth client. Absent: sessions whose clients declare
   * none of roots, sampling and elicitation share one process, and every other session has its own. `true`: all
   * sessions share one process, or one connection to a URL, and the server cannot request input. `false`: each session
   * has its own.
   */
  readonly share?: boolean | undefined;
  /** Place of the entry. */
  readonly origin?: EntryOrigin | undefined;
}

/** Place of a server in a configuration file. */
export interface EntryOrigin {
  /** Path of the file. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Author of the file: the user, or the authors of the project. The latter's servers run only once approved. */
  readonly scope: 'user' | 'project';
}

/** A server that is started by a command and speaks over stdio. */
export interface CommandTarget {
  /** Program to start. */
  readonly command: string;
  /** Arguments of the program. */
  readonly args?: readonly string[] | undefined;
  /** Environment variables, in addition to a safe subset of the host's. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Working directory. */
  readonly cwd?: string | undefined;
}

/** A server at a URL. */
export interface UrlTarget {
  /** URL of the MCP endpoint. */
  readonly url: string;
  /** Header fields of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Transport. Default: Streamable HTTP, then HTTP+SSE. */
  readonly transport?: 'http' | 'http-sse' | undefined;
}

/** An entry that was read, and what stands in the configuration where its variables were filled in. */
export interface ConfiguredEntry extends ServerEntry {
  /** By key (`command`, `args[0]`, `env.TOKEN`, …): the text before it was filled in. It may hold secrets. */
  readonly written?: Readonly<Record<string, string>> | undefined;
}
