import { type ErrorDetails, TenonError } from '../../jsonrpc/error.js';
import { escapeInvisible } from '../../redaction/invisible-characters.js';
import type { ConfigPath, JsonNode } from './json-node.js';

/** Maximum number of reported problems of one configuration. */
export const MAX_PROBLEMS = 200;

/** Something that is wrong with a configuration. */
export interface ConfigProblem {
  /** `error`: the server that it concerns is not given, or none is. `warning`: it is given all the same. */
  readonly level: 'error' | 'warning';
  /** Names the file, the line and the key, and no value that could be a secret. */
  readonly error: TenonError;
  /** Path of the file. */
  readonly file: string;
  /** From 1; undefined for what stands in no file. */
  readonly line: number | undefined;
  /** `mcpServers.notes.args[0]`. Empty for the whole. */
  readonly key: string;
  /** The server that it concerns. */
  readonly server: string | undefined;
}

type ProblemDetails = Pick<ErrorDetails, 'expected' | 'received' | 'hint' | 'cause'>;

/**
 * Reports a problem and the affected key. Details that take time to compute are computed only for reported problems.
 */
export type ReportProblem = (
  level: ConfigProblem['level'],
  code: string,
  at: Pick<JsonNode, 'path' | 'line'>,
  summary: string,
  details?: ProblemDetails | (() => ProblemDetails),
) => void;

/** Gathers what is wrong with the configuration of a file. `getServer` returns the server of a path. */
export function createProblemReport(
  file: string,
  getServer: (path: ConfigPath) => string | number | undefined,
): { problems: ConfigProblem[]; report: ReportProblem } {
  const problems: ConfigProblem[] = [];
  const report: ReportProblem = (level, code, { path, line }, summary, details = {}) => {
    if (problems.length >= MAX_PROBLEMS) return;
    const key = formatConfigPath(path);
    const place = [line === undefined ? file : `${file}:${line}`, key].filter(Boolean).join(': ');
    const server = getServer(path);
    const error = new TenonError(code, `${place}: ${summary}`, typeof details === 'function' ? details() : details);
    problems.push({ level, error, file, line, key, server: server === undefined ? undefined : String(server) });
  };
  return { problems, report };
}

/** A path as people write it: `mcpServers["my server"].args[0]`. */
function formatConfigPath(path: ConfigPath): string {
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : formatMember(part, at > 0))).join('');
}

function formatMember(name: string, inner: boolean): string {
  if (!/^[\w$-]{1,80}$/.test(name)) return `[${quoteName(name)}]`;
  return inner ? `.${name}` : name;
}

/** A name in quotes, which cannot be taken for anything else on a screen: the configuration may be anybody's. */
export function quoteName(name: string): string {
  return escapeInvisible(JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name));
}
