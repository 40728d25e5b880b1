import { type ErrorDetails, escapeInvisible, TenonError } from '@tenon/base';
import type { ConfigPath, JsonNode } from './json-node.js';

/** Maximum number of reported problems of one configuration. */
export const MAX_PROBLEMS = 200;

/** Problem of a configuration. */
export interface ConfigProblem {
  /**
   * Severity of the problem. `error`: the affected server, or the whole configuration, is omitted. `warning`: it is
   * used.
   */
  readonly level: 'error' | 'warning';
  /** Error that names the file, line and key. It contains no value that could be a secret. */
  readonly error: TenonError;
  /** Path of the file. */
  readonly file: string;
  /** Line number, from 1. `undefined` for a value that is not from a file. */
  readonly line: number | undefined;
  /** Path of the value: `mcpServers.notes.args[0]`. Empty for the whole configuration. */
  readonly key: string;
  /** Name of the affected server. */
  readonly server: string | undefined;
}

type ProblemDetails = Pick<ErrorDetails, 'expected' | 'received' | 'hint' | 'cause'>;

/** Reports a problem and the affected key. Details that take time are computed only if the problem is reported. */
export type ReportProblem = (
  level: ConfigProblem['level'],
  code: string,
  at: Pick<JsonNode, 'path' | 'line'>,
  summary: string,
  details?: ProblemDetails | (() => ProblemDetails),
) => void;

/**
 * Creates the collector of a configuration's problems.
 *
 * @param getServer Returns the server of a path.
 */
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

/** Formats a path: `mcpServers["my server"].args[0]`. */
function formatConfigPath(path: ConfigPath): string {
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : formatMember(part, at > 0))).join('');
}

function formatMember(name: string, inner: boolean): string {
  if (!/^[\w$-]{1,80}$/.test(name)) return `[${quoteName(name)}]`;
  return inner ? `.${name}` : name;
}

/** Quotes and escapes a name for display, because a configuration may come from an untrusted project. */
export function quoteName(name: string): string {
  return escapeInvisible(JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name));
}
