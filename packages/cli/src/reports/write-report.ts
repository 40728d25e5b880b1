import type { CliContext } from '../cli-context.js';
import { writeProjectFile } from '../project-file.js';
import { createUsageError } from '../usage-error.js';

/** Options of commands that report findings. */
export interface ReportOutputOptions {
  readonly json?: boolean | undefined;
  /** Path of the file for JUnit XML. `-` is standard output. */
  readonly junit?: string | undefined;
}

/** Help of `--junit`. */
export const JUNIT_HELP = 'also write JUnit XML into this file; - prints it instead of the text';

/** Refuses two formats on standard output. */
export function checkReportOptions({ json, junit }: ReportOutputOptions): void {
  if (json && junit === '-')
    throw createUsageError('--json and --junit - both print on standard output', 'pass a file: --junit report.xml');
}

/** Writes a report: as JUnit XML if that is requested, and as JSON or text on standard output. */
export async function writeReport(
  { screen, cwd }: Pick<CliContext, 'screen' | 'cwd'>,
  report: unknown,
  { json, junit }: ReportOutputOptions,
  format: { readonly junit: () => string; readonly text: () => string },
): Promise<void> {
  if (junit === '-') return screen.print(format.junit().trimEnd());
  if (junit !== undefined) await writeProjectFile(cwd, junit, format.junit());
  if (json) screen.printJson(report);
  else screen.print(format.text());
}
