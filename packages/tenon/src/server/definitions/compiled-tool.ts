import { dropUndefined, type JsonObject, requireShape, TenonError } from '@tenon/base';
import { checkMeta } from '../../protocol/check-meta.js';
import type { Tool } from '../../protocol/content.js';
import { type HeaderParam, readHeaderParams } from '../../protocol/header-params.js';
import { checkScopes } from '../../protocol/scopes.js';
import type { Validator } from '../../schemas/compile-schema.js';
import { withObjectType } from '../../schemas/json-types.js';
import { compileDefinition } from '../../schemas/schema-check.js';
import { memoizeCompile } from '../registry.js';
import { TOOL_SHAPE } from './definition-shapes.js';
import { resolveTaskOptions } from './task-options.js';
import type { ResolvedTaskOptions, ToolDefinition } from './tool.js';

/** A tool with its converted schemas and its validators, which all connections share. */
export interface CompiledTool {
  readonly definition: ToolDefinition;
  readonly wire: Tool;
  readonly input: Validator | undefined;
  readonly output: Validator | undefined;
  /** The arguments that headers repeat. */
  readonly headerParams: readonly HeaderParam[];
  /** Task options of the tool. Undefined if its calls never become tasks. */
  readonly taskOptions: ResolvedTaskOptions | undefined;
}

/**
 * The schema that the specification recommends for a tool without parameters. Its handler gets no arguments, even if
 * the client sends some.
 */
const EMPTY_INPUT_SCHEMA = { type: 'object', properties: {}, additionalProperties: false };

/**
 * Valid names of tools.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names
 */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Compiles a tool. Throws when the definition is invalid. */
export const compileTool: (name: string, definition: ToolDefinition) => CompiledTool = memoizeCompile(
  (name, definition) => {
    requireShape(`tool "${name}"`, definition, TOOL_SHAPE);
    checkMeta(`"${name}"`, definition._meta);
    checkScopes(`"${name}"`, definition.scopes);
    if (!TOOL_NAME.test(name)) {
      throw new TenonError('tool/name', `invalid tool name "${name}"`, {
        expected: '1 to 128 letters, digits, "_", "-" and "."',
      });
    }
    const input = definition.input && compileDefinition(`the input of tool "${name}"`, definition.input, 'input');
    const output = definition.output && compileDefinition(`the output of tool "${name}"`, definition.output, 'output');
    const inputSchema = input ? withObjectType(input.json) : EMPTY_INPUT_SCHEMA;
    if (!hasObjectType(inputSchema)) {
      const hint = 'wrap the schema in an object, and make each member of a union an object';
      throw new TenonError('tool/input', `the input schema of tool "${name}" is not an object`, { hint });
    }
    const headerParams = readHeaderParams(inputSchema);
    if (typeof headerParams === 'string')
      throw new TenonError(
        'tool/x-mcp-header',
        `invalid \`x-mcp-header\` in the input of tool "${name}": ${headerParams}`,
      );
    const outputSchema = output && withObjectType(output.json);
    const { title, description, annotations, icons, _meta } = definition;
    const members = { name, title, description, inputSchema, outputSchema, annotations, icons, _meta };
    const wire: Tool = dropUndefined(members);
    return { definition, wire, input, output, headerParams, taskOptions: resolveTaskOptions(definition) };
  },
);

function hasObjectType(schema: JsonObject): schema is Tool['inputSchema'] {
  return schema.type === 'object';
}
