import { writeJson } from '@tenon/base/writers';
import type { CallToolResult, ContentBlock } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { POLICY_HINT } from '../error-hints.js';
import { exitCodes } from '../exit-codes.js';
import { writeErrorReport } from '../report-failure.js';
import { decodeContent } from './decode-content.js';
import { formatSaved, formatToolResult, printServerText } from './format-content.js';
import { saveContent } from './save-content.js';

const TOOL_ERROR_HINT =
  'read the text of the tool: correct the arguments if they are the problem, else report it to the author of the server';

/** Options of the output of a call. */
export interface ResultOptions {
  readonly json?: boolean;
  /** Writes the content as it is, without line breaks after it. */
  readonly raw?: boolean;
  /**
   * Folder for images, audio and resources.
   * @default they are not saved
   */
  readonly save?: string;
}

/** Prints the result of a tool. Sets the exit code for an error of the tool. */
export async function reportToolResult(
  context: CliContext,
  tool: string,
  result: CallToolResult,
  { json = false, raw = false, save }: ResultOptions,
): Promise<void> {
  const { screen } = context;
  const saved = save === undefined ? undefined : await saveContent(save, tool, result.content, context.cwd);
  const isError = result.isError === true;
  const isDenied = isError && (await isDeniedByPolicy(result));
  if (json) screen.printJson(saved ? { ...result, saved } : result);
  else {
    if (isError) screen.note(`tenon: the tool ${tool} ${isDenied ? 'was not called' : 'returned an error'}`);
    if (raw) for (const block of result.content) screen.printBytes(readBytes(block));
  }
  if (!json && !raw) {
    // A saved block is shown by its path instead.
    const isShown = ({ type }: { type: string }) => saved === undefined || type === 'text' || type === 'resource_link';
    const text = formatToolResult({ ...result, content: result.content.filter(isShown) });
    if (text !== '') await printServerText(screen, text);
    if (saved && saved.length > 0) screen.note(formatSaved(saved));
  }
  if (isError) reportToolError(context, result, json, isDenied);
  else context.code = exitCodes.success;
}

/** Tells if the gateway has denied the call. The result then has the reason in place of an answer of the tool. */
async function isDeniedByPolicy({ _meta }: CallToolResult): Promise<boolean> {
  const { POLICY_DECISION } = await import('@tenon/host');
  return _meta?.[POLICY_DECISION] === 'denied';
}

function reportToolError(context: CliContext, result: CallToolResult, json: boolean, isDenied: boolean): void {
  const { screen } = context;
  const cause = result.content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n');
  const failed = { code: 'tool/failed', fix: TOOL_ERROR_HINT };
  const { code, fix } = isDenied ? { code: 'tool/denied', fix: POLICY_HINT } : failed;
  context.code = isDenied ? exitCodes.refused : exitCodes.toolError;
  if (json) writeErrorReport(screen, { code, cause, fix, exit: context.code });
  else if (isDenied) screen.note(`Next: ${fix}`);
}

/** Returns the bytes of a content block. Blocks that have no content of their own are JSON. */
function readBytes(block: ContentBlock): Uint8Array {
  if (block.type === 'text') return Buffer.from(block.text);
  if (block.type === 'image' || block.type === 'audio') return decodeContent(block.data, block.type);
  if (block.type !== 'resource') return Buffer.from(writeJson(block));
  const { resource } = block;
  return 'text' in resource ? Buffer.from(resource.text) : decodeContent(resource.blob, resource.uri);
}
