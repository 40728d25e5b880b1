import type { ReadResourceResult } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { decodeContent } from './decode-content.js';
import { formatContents, formatSaved, printServerText } from './format-content.js';
import { joinPages } from './read-pages.js';
import type { ResultOptions } from './report-result.js';
import { saveResources } from './save-content.js';

/**
 * Prints the contents of a resource, each page when it arrives. One binary resource is written to a pipe or file as its
 * bytes.
 */
export async function reportReadResult(
  context: CliContext,
  uri: string,
  pages: AsyncIterable<ReadResourceResult> | Iterable<ReadResourceResult>,
  { json = false, save }: ResultOptions,
): Promise<void> {
  const { screen } = context;
  const isStreamed = !json && save === undefined && !screen.isTerminal;
  const collected: ReadResourceResult[] = [];
  let isText = false;
  for await (const page of pages) {
    context.code = exitCodes.success;
    if (!isStreamed) collected.push(page);
    else isText = await printPage(context, page);
  }
  if (isText) screen.print('');
  const result = await joinPages(uri, collected);
  if (result === undefined) return;
  const { contents } = result;
  const saved = save === undefined ? undefined : await saveResources(save, contents, context.cwd);
  if (json) return screen.printJson(saved ? { ...result, saved } : result);
  if (saved) return screen.note(formatSaved(saved));
  for (const each of contents) await printServerText(screen, formatContents(each));
}

/** Writes a page without a line break after it. Returns true if the output is text, so that it needs one at the end. */
async function printPage({ screen }: CliContext, { contents }: ReadResourceResult): Promise<boolean> {
  const [first] = contents;
  if (contents.length === 1 && first && 'blob' in first) {
    screen.printBytes(decodeContent(first.blob, first.uri));
    return false;
  }
  screen.printBytes(Buffer.from(contents.map(formatContents).join('\n')));
  return contents.length > 0;
}
