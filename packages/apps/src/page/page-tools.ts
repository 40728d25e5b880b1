import { AppError, INVALID_PARAMS } from '../channel/app-error.js';
import { isObject, type JsonObject } from '../channel/messages.js';
import type { PageTools } from './page-options.js';

/** Answers `tools/list` of the host. All tools fit in one page. */
export function listPageTools(tools: PageTools): JsonObject {
  return {
    tools: Object.entries(tools).map(([name, { title, description, annotations, inputSchema }]) => ({
      ...{ name, inputSchema: inputSchema ?? { type: 'object', properties: {} } },
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(annotations === undefined ? {} : { annotations }),
    })),
  };
}

/** Answers `tools/call` of the host. A tool that throws gives a result with `isError`. */
export async function callPageTool(tools: PageTools, params: JsonObject): Promise<JsonObject> {
  const { name, arguments: input = {} } = params;
  const tool = typeof name === 'string' && Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (!tool) throw new AppError(INVALID_PARAMS, `Unknown tool: ${String(name).slice(0, 100)}`);
  if (!isObject(input)) throw new AppError(INVALID_PARAMS, `Tool ${name}: expected an object as arguments`);
  try {
    const returned = await tool.run(input);
    return typeof returned === 'string' ? { content: [{ type: 'text', text: returned }] } : { ...returned };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { content: [{ type: 'text', text }], isError: true };
  }
}
