import { expect, it } from 'vitest';
import { isUnknownToolResult } from './explain-unknown-name.js';

it.each([
  ['MCP error -32602: Tool ecko not found', true],
  ['Unknown tool: ecko', true],
  ['the file a.txt was not found', false],
  ['ecko: no space left', false],
])('distinguishes an unknown tool from an error of a tool that is not listed: %s', async (text, isUnknown) => {
  const result = { content: [{ type: 'text' as const, text }], isError: true };
  expect(await isUnknownToolResult(result, 'ecko')).toBe(isUnknown);
  expect(await isUnknownToolResult({ ...result, isError: false }, 'ecko')).toBe(false);
});
