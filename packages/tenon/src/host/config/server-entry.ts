/** One server, as a configuration names it. */
export interface ServerEntry {
  /** Its key in the configuration. */
  readonly name: string;
  readonly target: CommandTarget | UrlTarget;
  readonly disabled?: boolean;
  /** Until it has opened, in milliseconds, as all times are. Default of the host: 30,000. */
  readonly startTimeout?: number;
  /** As of `ClientOptions`. */
  readonly idleTimeout?: number;
  /** As of `ClientOptions`. */
  readonly totalTimeout?: number;
  /** Whether its annotations may be believed by the policy. Default `false`. */
  readonly trusted?: boolean;
  /** Patterns (`*`) of tools to offer, and of those not to. */
  readonly tools?: { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
  /** Roots that this server may know, as URIs; absent: those of the host. */
  readonly roots?: readonly string[];
  /** Where it stands. */
  readonly origin?: Origin;
}

export interface Origin {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Who has written the file: the user, or whoever made the project. The latter's servers run only once approved. */
  readonly scope: 'user' | 'project';
}

export interface CommandTarget {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface UrlTarget {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly transport?: 'http' | 'http-sse';
}

/** An entry that was read, and what stands in the configuration where its variables were filled in. */
export interface ConfiguredEntry extends ServerEntry {
  /** By key (`command`, `args[0]`, `env.TOKEN`, …): the text before it was filled in. It may hold secrets. */
  readonly written?: Readonly<Record<string, string>>;
}
