import { type ErrorDetails, escapeInvisible, TenonError } from '@tenon/base';
import type { ConfigPath, JsonNode } from './json-node.js';

/** Maximum number of reported findings of one configuration. */
export const MAX_FINDINGS = 200;

/** Finding of the check of a configuration. */
export interface ConfigFinding {
  /**
   * Severity of the finding. `error`: the affected server, or the whole configuration, is omitted. `warning`: it is
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

type FindingDetails = Pick<ErrorDetails, 'expected' | 'received' | 'hint' | 'cause'>;

/** Reports a finding and the affected key. Details that take time are computed only if the finding is reported. */
export type ReportFinding = (
  level: ConfigFinding['level'],
  code: string,
  at: Pick<JsonNode, 'path' | 'line'>,
  summary: string,
  details?: FindingDetails | (() => FindingDetails),
) => void;

/**
 * Creates the collector of the findings of a configuration.
 *
 * @param getServer Returns the server of a path.
 */
export function createConfigReport(
  file: string,
  getServer: (path: ConfigPath) => string | number | undefined,
): { findings: ConfigFinding[]; report: ReportFinding } {
  const findings: ConfigFinding[] = [];
  const report: ReportFinding = (level, code, { path, line }, summary, details = {}) => {
    if (findings.length >= MAX_FINDINGS) return;
    const key = formatConfigPath(path);
    const place = [line === undefined ? file : `${file}:${line}`, key].filter(Boolean).join(': ');
    const server = getServer(path);
    const error = new TenonError(code, `${place}: ${summary}`, typeof details === 'function' ? details() : details);
    findings.push({ level, error, file, line, key, server: server === undefined ? undefined : String(server) });
  };
  return { findings, report };
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
