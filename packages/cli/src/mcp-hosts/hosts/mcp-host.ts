/** A program that connects to MCP servers, and the form of its configuration. */
export interface McpHost {
  /** Name on the command line. */
  readonly id: string;
  readonly title: string;
  /** Page that documents the file. */
  readonly docs: string;
  /** Files of the user. The first that exists is used, else the first. */
  readonly user: readonly HostPath[];
  /** Files of a project, relative to its folder. The first that exists is used, else the first. */
  readonly project: readonly string[];
  /** Paths that exist where the host is installed. Default: the folders of `user`. */
  readonly traces?: readonly HostPath[];
  readonly format: 'jsonc' | 'toml' | 'yaml';
  /** Keys that lead to the servers. */
  readonly section: readonly string[];
  /** Key with the name of a server, if the servers are a list. Default: the servers are a map by name. */
  readonly listKey?: string;
  /** Content of a file that does not exist. */
  readonly initial?: string;
  readonly command: CommandShape;
  /** Absent: the host starts commands only. */
  readonly url?: UrlShape;
  readonly variables: VariableForm;
}

/**
 * Path with variables. `~` is the home folder, `{data}` the folder for data of applications, `{config}` the one for
 * configuration, `{local}` the one for local data on Windows, and `{NAME:path}` the value of an environment variable.
 */
export type HostPath = string | Readonly<Record<Platform, string>>;

export type Platform = 'darwin' | 'linux' | 'win32';

/** Form of a server that the host starts. */
export interface CommandShape {
  readonly type?: string;
  readonly command: string;
  /** Absent: the command is a list with its arguments. */
  readonly args?: string;
  readonly env: string;
  /** Key that repeats the name of the server. */
  readonly name?: string;
  /** Members that the host requires. */
  readonly fixed?: Readonly<Record<string, unknown>>;
}

/** Form of a server at a URL. */
export interface UrlShape {
  readonly type?: string;
  readonly url: string;
  /** Keys that lead to the headers. */
  readonly headers: readonly string[];
  /** Form for the earlier transport HTTP+SSE, if it differs. */
  readonly sse?: { readonly type?: string; readonly url?: string };
  /** True if the host does not support HTTP+SSE. It starts `tenon bridge` for such a server. */
  readonly withoutSse?: true;
  readonly name?: string;
  readonly fixed?: Readonly<Record<string, unknown>>;
}

/** Form of an environment variable of the user in a value. */
export interface VariableForm {
  /** Text that the host replaces, with `VAR` for the name. Absent: the host replaces nothing. */
  readonly text?: string;
  /** Other texts that the host replaces. Files of users may contain them. */
  readonly otherTexts?: readonly string[];
  /** Key of the file with a list of the variables of `text`, whose values the host asks for. */
  readonly inputs?: string;
  /** Key with a list of the names of variables that the host passes to the process. Replaces `text` in the environment. */
  readonly envNames?: string;
  /** Keys of headers whose values are names of variables. Replace `text` in headers. */
  readonly headerNames?: { readonly headers: string; readonly bearer: string };
}
