import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Tool } from '../model/content.js';
import { dropUndefined } from '../model/defaults.js';
import { checkMeta } from '../model/meta-keys.js';
import { type Mirror, mirrorsOf } from '../model/mirror.js';
import { checkScopes } from '../model/scopes.js';
import { withObjectType } from '../schemas/json-types.js';
import { compileDefined } from '../schemas/schema-check.js';
import type { Validator } from '../schemas/validate.js';
import { compiledOnce } from './compiled.js';
import { requireToolShape } from './definition-shapes.js';
import type { ToolDefinition } from './tool.js';

/** A tool made ready: its schemas converted and its validators made, once for all connections. */
export interface CompiledTool {
  readonly definition: ToolDefinition;
  readonly wire: Tool;
  readonly input: Validator | undefined;
  readonly output: Validator | undefined;
  /** The arguments that headers mirror. */
  readonly mirrors: readonly Mirror[];
}

/** The schema that the specification advises for a tool without parameters. Its handler gets no arguments, whatever comes. */
const NO_INPUT = { type: 'object', properties: {}, additionalProperties: false };

/** https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Throws when the definition can not be offered. */
export const compileTool: (name: string, definition: ToolDefinition) => CompiledTool = compiledOnce(make);

function make(name: string, definition: ToolDefinition): CompiledTool {
  requireToolShape(name, definition);
  checkMeta(`"${name}"`, definition._meta);
  checkScopes(`"${name}"`, definition.scopes);
  if (!NAME.test(name)) {
    throw new TenonError('tool/name', `"${name}" is no tool name`, {
      expected: '1 to 128 letters, digits, "_", "-" and "."',
    });
  }
  const input = definition.input && compileDefined(`the input of tool "${name}"`, definition.input, 'input');
  const output = definition.output && compileDefined(`the output of tool "${name}"`, definition.output, 'output');
  const inputSchema = input ? withObjectType(input.json) : NO_INPUT;
  if (!hasObjectType(inputSchema)) {
    const next = 'wrap the schema in an object; of a union, each form must be one';
    throw new TenonError('tool/input', `the input of "${name}" is no object`, { next });
  }
  const mirrors = mirrorsOf(inputSchema);
  if (typeof mirrors === 'string') throw new TenonError('tool/x-mcp-header', `the input of "${name}": ${mirrors}`);
  const outputSchema = output && withObjectType(output.json);
  return { definition, wire: wireOf(name, definition, inputSchema, outputSchema), input, output, mirrors };
}

function hasObjectType(schema: JsonObject): schema is Tool['inputSchema'] {
  return schema.type === 'object';
}

function wireOf(
  name: string,
  { title, description, annotations, icons, _meta }: ToolDefinition,
  inputSchema: Tool['inputSchema'],
  outputSchema?: JsonObject,
): Tool {
  const facts = { name, title, description, inputSchema, outputSchema, annotations, icons, _meta };
  return dropUndefined(facts);
}
