import type { CallToolResult, Tool } from 'tenon';
import { createUnknownNameError } from '../tools/create-unknown-name-error.js';
import { explainUnknownName, isUnknownToolResult, OPEN_SCHEMA } from '../tools/explain-unknown-name.js';

/**
 * Calls a tool that the server does not list, such as one that a gateway denies.
 * @throws TenonError `cli/usage` with the nearest name if the server does not know it either
 */
export async function sendUnlisted(
  name: string,
  tools: readonly Tool[],
  send: (inputSchema: Tool['inputSchema']) => Promise<CallToolResult | undefined>,
): Promise<CallToolResult | undefined> {
  const names = tools.map(each => each.name);
  const createError = () => createUnknownNameError('tool', name, names);
  const result = await explainUnknownName(() => send(OPEN_SCHEMA), createError);
  if (result && (await isUnknownToolResult(result, name))) throw await createError();
  return result;
}
