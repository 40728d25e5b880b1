import {
  type Check,
  checkEither,
  checkFunction,
  checkObject,
  checkOptional,
  describeMismatch,
  isObject,
  requireArgument,
  requirePresentOptions,
} from '@tenon/base';
import { dynamicTool, type ToolSet } from 'ai';
import type { CallOptions, CallToolResult, Client, Tool } from 'tenon';
import { toInputSchema } from './input-schema.js';
import { createToolNames } from './tool-names.js';
import { toToolOutput } from './tool-output.js';

type ToolClient = Pick<Client, 'listTools' | 'callTool'>;

/** Source of tools: a client, or a host with its client for all servers. */
export type ToolSource = ToolClient | { readonly client: ToolClient };

/** Options of `toAiTools`. */
export interface AiToolsOptions {
  /**
   * Selects the tools for which it returns `true`.
   * @default all
   */
  readonly filter?: ((tool: Tool) => boolean) | undefined;
  /**
   * Options of each call, such as `totalTimeout` or `onProgress`.
   * @default none
   */
  readonly callOptions?: Omit<CallOptions, 'signal' | 'resolveInputRequests'> | undefined;
}

const checkClient = checkObject({ listTools: checkFunction, callTool: checkFunction });

const checkIterable: Check = value =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value
    ? undefined
    : describeMismatch('an async iterable of tools', value);

/**
 * Lists the tools of a host or client, and converts each one to a tool of the AI SDK. Calls run through the client, so
 * the policy, approvals and audit of a host apply. Call it again when the list of tools changes.
 *
 * Names are mapped to names that model providers accept. `toolMetadata.name` of a tool call has the original name.
 */
export async function toAiTools(source: ToolSource, options: AiToolsOptions = {}): Promise<ToolSet> {
  requirePresentOptions<AiToolsOptions>('toAiTools', options, {
    filter: checkOptional(checkFunction),
    callOptions: checkOptional(checkObject()),
  });
  requireArgument('`source` of toAiTools', source, checkEither(checkObject({ client: checkClient }), checkClient));
  const client = 'client' in source ? source.client : source;
  const tools: Tool[] = [];
  const listed = client.listTools();
  requireArgument('the result of `listTools` of toAiTools', listed, checkIterable);
  const { filter = () => true } = options;
  // A model gets a tool only by `true`: `undefined`, or a promise of an async function, selects nothing.
  for await (const tool of listed) if (filter(tool) === true) tools.push(tool);
  const names = createToolNames(tools.map(({ name }) => name));
  return Object.fromEntries(
    tools.map(tool => [names.toProvider(tool.name), toAiTool(tool, client, options.callOptions)]),
  );
}

function toAiTool(tool: Tool, client: ToolClient, callOptions: AiToolsOptions['callOptions']) {
  const { name, description } = tool;
  return dynamicTool({
    ...(description === undefined ? {} : { description }),
    metadata: { name },
    inputSchema: toInputSchema(tool),
    execute(input, { abortSignal }) {
      if (!isObject(input)) throw new TypeError(`The arguments of ${name} are not a JSON object. Pass an object.`);
      return client.callTool(name, input, { ...callOptions, signal: abortSignal });
    },
    // The output is the result of `execute`. A dynamic tool has no static type for it.
    toModelOutput: ({ output }) => toToolOutput(output as CallToolResult),
  });
}
