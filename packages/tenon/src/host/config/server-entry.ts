/** One server, as a configuration names it. */
export interface ServerEntry {
  /** Its key in the configuration. */
  readonly name: string;
  readonly target: CommandTarget | UrlTarget;
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
   * Sessions that share a process, of one user and OAuth client. Absent: those whose client declares none of roots, sampling and
   * elicitation share one, and each other session has its own. `true`: all sessions share one, and the server can ask none of them
   * anything; so do connections to a URL. `false`: each session has its own.
   */
  readonly share?: boolean | undefined;
  /** Place of the entry. */
  readonly origin?: EntryOrigin | undefined;
}

export interface EntryOrigin {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Author of the file: the user, or the authors of the project. The latter's servers run only once approved. */
  readonly scope: 'user' | 'project';
}

export interface CommandTarget {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

export interface UrlTarget {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly transport?: 'http' | 'http-sse' | undefined;
}

/** An entry that was read, and what stands in the configuration where its variables were filled in. */
export interface ConfiguredEntry extends ServerEntry {
  /** By key (`command`, `args[0]`, `env.TOKEN`, …): the text before it was filled in. It may hold secrets. */
  readonly written?: Readonly<Record<string, string>> | undefined;
}
