import { relative } from 'node:path';
import { cleanMessage, locateError, type ModuleError, readLines, type SourceLocation } from './locate-error.js';

/** Number of lines that a code frame shows before the faulty line. */
const LINES_BEFORE = 2;
const LINES_AFTER = 1;

/** An error of a module, for the user. */
export interface ModuleErrorReport {
  /** `name: message`. */
  readonly message: string;
  /** Place in the source file. Absent if it is not known. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

export function createModuleErrorReport(error: ModuleError, folder: string): ModuleErrorReport {
  const location = locateError(error, folder);
  const text = cleanMessage(error);
  const message = text.startsWith('SyntaxError:') || error.name === '' ? text : `${error.name}: ${text}`;
  return location ? { message, ...location } : { message };
}

/** Formats an error of a module: its place, its message, and the lines of the source file around the place. */
export function formatModuleError({ message, file, line, column }: ModuleErrorReport, folder: string): string {
  if (file === undefined || line === undefined || column === undefined) return message;
  const place = `${relative(folder, file) || file}:${line}:${column}`;
  const frame = formatCodeFrame({ file, line, column });
  return [`${place}: ${message}`, ...(frame === '' ? [] : ['', frame])].join('\n');
}

function formatCodeFrame({ file, line, column }: SourceLocation): string {
  const lines = readLines(file);
  if (line > lines.length) return '';
  const first = Math.max(1, line - LINES_BEFORE);
  const last = Math.min(lines.length, line + LINES_AFTER);
  const width = String(last).length;
  return lines
    .slice(first - 1, last)
    .flatMap((text, index) => {
      const number = first + index;
      const shown = `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${text}`.trimEnd();
      return number === line ? [shown, `  ${' '.repeat(width)} | ${' '.repeat(Math.max(0, column - 1))}^`] : [shown];
    })
    .join('\n');
}
