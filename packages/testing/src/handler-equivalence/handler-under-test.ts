import type { JsonObject } from '@tenon/base';
import type {
  ClientCapabilities,
  Context,
  PromptDefinition,
  ResourceDefinition,
  ServerDefinition,
  TaskOptions,
  ToolDefinition,
} from 'tenon';

/** A tool, a prompt, or a resource with the URI that is read and its template, if it has one. */
export type TestableHandler =
  | ToolDefinition
  | { readonly prompt: PromptDefinition }
  | { readonly resource: ResourceDefinition<never>; readonly uri: string; readonly template?: string | undefined };

export type HandlerFunction = (input: never, context: Context) => unknown;

/** A handler under test: the request that calls it, and the definition of its server. */
export interface HandlerUnderTest {
  readonly method: string;
  readonly params: JsonObject;
  /** Capabilities without which the server does not call the handler. */
  readonly requiredCapabilities: ClientCapabilities | undefined;
  /** Task options of the tool. Undefined if its calls cannot become tasks. */
  readonly task: TaskOptions | undefined;
  /** Creates the definition. `wrap` wraps the handler. */
  createDefinition(
    wrap: (run: HandlerFunction) => HandlerFunction,
    task: TaskOptions | undefined,
  ): Pick<ServerDefinition, 'tools' | 'prompts' | 'resources'>;
}

const NAME = 'under-test';

export function createHandlerUnderTest(handler: TestableHandler, input: JsonObject): HandlerUnderTest {
  const named = { name: NAME, arguments: input };
  if ('prompt' in handler) {
    const { prompt } = handler;
    const createDefinition: HandlerUnderTest['createDefinition'] = wrap => ({
      prompts: { [NAME]: { ...prompt, run: wrap(prompt.run.bind(prompt)) as typeof prompt.run } },
    });
    return {
      method: 'prompts/get',
      params: named,
      requiredCapabilities: prompt.requiredCapabilities,
      task: undefined,
      createDefinition,
    };
  }
  if ('resource' in handler) {
    const { resource, uri, template = uri } = handler;
    const createDefinition: HandlerUnderTest['createDefinition'] = wrap => ({
      resources: {
        [template]: { ...resource, read: wrap(resource.read.bind(resource) as HandlerFunction) as never },
      } as never,
    });
    return {
      method: 'resources/read',
      params: { uri },
      requiredCapabilities: resource.requiredCapabilities,
      task: undefined,
      createDefinition,
    };
  }
  return createToolUnderTest(handler, named);
}

function createToolUnderTest(tool: ToolDefinition, params: JsonObject): HandlerUnderTest {
  const { task, requiredCapabilities } = tool;
  return {
    method: 'tools/call',
    params,
    requiredCapabilities,
    task: task === 'forbidden' ? undefined : typeof task === 'object' ? task : {},
    createDefinition(wrap, rules) {
      const { task: _, ...plain } = tool;
      return { tools: { [NAME]: { ...plain, run: wrap(tool.run.bind(tool)), ...(rules ? { task: rules } : {}) } } };
    },
  };
}
