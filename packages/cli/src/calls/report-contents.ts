import type { ReadResourceResult } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { formatContents, formatSaved, printServerText } from './format-content.js';
import type { ResultOptions } from './report-result.js';
import { saveResources } from './save-content.js';

/** Prints the contents of a resource. One binary resource is written to a pipe or file as its bytes. */
export async function reportReadResult(
  context: CliContext,
  result: ReadResourceResult,
  { json = false, save }: ResultOptions,
): Promise<void> {
  const { screen } = context;
  const { contents } = result;
  context.code = exitCodes.success;
  const saved = save === undefined ? undefined : await saveResources(save, contents, context.cwd);
  if (json) return screen.printJson(saved ? { ...result, saved } : result);
  if (saved) return screen.note(formatSaved(saved));
  const [first] = contents;
  if (contents.length === 1 && first && 'blob' in first && !screen.isTerminal)
    return screen.printBytes(Buffer.from(first.blob, 'base64'));
  for (const each of contents) await printServerText(screen, formatContents(each));
}
