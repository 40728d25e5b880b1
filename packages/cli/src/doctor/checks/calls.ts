import { toJsonObject } from '@tenon/base';
import { listMalformedMembers } from '@tenon/host';
import { type CallToolResult, type JsonObject, TenonError, type Tool } from 'tenon';
import { describeError } from '../../error-hints.js';
import { checkArguments } from '../../tools/check-arguments.js';
import { nameValues, parseArguments } from '../../tools/parse-arguments.js';
import { formatToolSignature } from '../../tools/signature.js';
import { parseCallExpression } from '../../tools/value-syntax.js';
import { createUsageError } from '../../usage-error.js';
import type { Check, DoctorContext } from '../check.js';
import type { Finding, FindingFactory } from '../finding.js';
import { getSpecificationPage } from '../finding.js';
import { shorten } from './names.js';

/** Calls the tools that the user allowed, and checks the results. */
export const callsCheck: Check = {
  id: 'calls',
  title: 'Tool calls',
  requires: 'calls',
  async run(context, findings) {
    const { connection, calls, allowCalls } = context;
    const tools = connection?.tools ?? [];
    const planned = await Promise.all(calls.map(text => parseCall(text, tools)));
    const harmless = allowCalls ? tools.filter(canCallWithoutArguments).map(tool => ({ tool, args: {} })) : [];
    const results: Finding[] = [];
    for (const { tool, args } of [...planned, ...harmless])
      results.push(await checkCall(context, tool, args, findings));
    return results;
  },
};

interface PlannedCall {
  readonly tool: Tool;
  readonly args: JsonObject;
}

/** Parses a call in the form of a function. */
async function parseCall(text: string, tools: readonly Tool[]): Promise<PlannedCall> {
  const { name, positional, named } = parseCallExpression(text) ?? { name: text, positional: [], named: {} };
  const tool = tools.find(each => each.name === name);
  if (!tool) throw createUsageError(`--call: unknown tool "${name}"`, 'see the tools of the server with `tenon list`');
  const values = { ...nameValues(tool.inputSchema, positional), ...named };
  const args = await parseArguments(tool.inputSchema, { words: [], values, cwd: '.' });
  await checkArguments(args, tool.inputSchema, () => formatToolSignature(tool));
  return { tool, args };
}

const canCallWithoutArguments = ({ annotations, inputSchema }: Tool): boolean =>
  annotations?.readOnlyHint === true && [inputSchema.required ?? []].flat().length === 0;

async function checkCall(
  { connection, now }: DoctorContext,
  tool: Tool,
  args: JsonObject,
  { ok, warning, problem }: FindingFactory,
): Promise<Finding> {
  const { name, outputSchema } = tool;
  const start = now();
  try {
    const result = await connection?.client.callTool(name, args);
    const seen = `${Math.round(now() - start)} ms`;
    const malformed = listMalformedMembers('tools/call', toJsonObject(result));
    if (malformed.length > 0)
      return problem(name, `${name} returns a result that official clients refuse`, {
        seen: shorten(malformed),
        cause: 'they report an error in place of the result, also of a call that has an effect',
        fix: 'write these members in the form of the specification, or leave them out',
        spec: getSpecificationPage('server/tools#tool-result'),
      });
    if (result?.isError) return warning(name, `${name} returns an error`, { seen: getText(result).slice(0, 200) });
    if (outputSchema && result?.structuredContent === undefined) {
      return problem(name, `${name} has an output schema, but returns no structuredContent`, {
        fix: 'return structuredContent that matches outputSchema',
        spec: getSpecificationPage('server/tools#structured-content'),
      });
    }
    return ok(name, `${name} returns a valid result`, { seen });
  } catch (thrown) {
    const { code } = TenonError.from(thrown);
    return problem(name, `${name} fails`, { seen: `${code}: ${describeError(thrown)}` });
  }
}

const getText = ({ content }: CallToolResult): string =>
  (content ?? []).flatMap(block => (block.type === 'text' ? [block.text] : [])).join(' ');
