import type { GetPromptResult } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { formatBlock, formatSaved, printServerText } from './format-content.js';
import type { ResultOptions } from './report-result.js';
import { saveContent } from './save-content.js';

/** Prints the messages of a prompt, each below its role. */
export async function reportPromptResult(
  context: CliContext,
  result: GetPromptResult,
  { json = false, save }: ResultOptions,
): Promise<void> {
  const { screen } = context;
  const blocks = result.messages.map(({ content }) => content);
  const saved = save === undefined ? undefined : await saveContent(save, 'prompt', blocks, context.cwd);
  context.code = exitCodes.success;
  if (json) return screen.printJson(saved ? { ...result, saved } : result);
  for (const { role, content } of result.messages) {
    screen.print(screen.style('bold', `${role}:`));
    await printServerText(screen, formatBlock(content));
  }
  if (saved && saved.length > 0) screen.note(formatSaved(saved));
}
