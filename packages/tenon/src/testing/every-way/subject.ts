import type { JsonObject } from '../../jsonrpc/message.js';
import type { ClientCapabilities } from '../../model/capabilities.js';
import type { Context } from '../../server/context.js';
import type { ServerDefinition } from '../../server/definition.js';
import type { PromptDefinition } from '../../server/prompt.js';
import type { ResourceDefinition } from '../../server/resource.js';
import type { TaskRules, ToolDefinition } from '../../server/tool.js';

/** A tool; a prompt; or a resource with the URI that is read, and the template that it is of, if it is. */
export type Handler =
  | ToolDefinition
  | { readonly prompt: PromptDefinition }
  | { readonly resource: ResourceDefinition<never>; readonly uri: string; readonly template?: string | undefined };

export type Enter = (input: never, context: Context) => unknown;

/** A handler under test: the request that enters it, and what a server with it offers. */
export interface Subject {
  readonly method: string;
  readonly params: JsonObject;
  /** Without these it is not entered. */
  readonly needs: ClientCapabilities | undefined;
  /** How its calls become tasks; undefined: they can not. */
  readonly task: TaskRules | undefined;
  /** `wrap` stands around the handler itself. */
  offer(
    wrap: (enter: Enter) => Enter,
    task: TaskRules | undefined,
  ): Pick<ServerDefinition, 'tools' | 'prompts' | 'resources'>;
}

const NAME = 'under-test';

export function subjectOf(handler: Handler, input: JsonObject): Subject {
  const named = { name: NAME, arguments: input };
  if ('prompt' in handler) {
    const { prompt } = handler;
    const offer: Subject['offer'] = wrap => ({
      prompts: { [NAME]: { ...prompt, run: wrap(prompt.run.bind(prompt)) as typeof prompt.run } },
    });
    return { method: 'prompts/get', params: named, needs: prompt.needs, task: undefined, offer };
  }
  if ('resource' in handler) {
    const { resource, uri, template = uri } = handler;
    const offer: Subject['offer'] = wrap => ({
      resources: { [template]: { ...resource, read: wrap(resource.read.bind(resource) as Enter) as never } } as never,
    });
    return { method: 'resources/read', params: { uri }, needs: resource.needs, task: undefined, offer };
  }
  return toolSubject(handler, named);
}

function toolSubject(tool: ToolDefinition, params: JsonObject): Subject {
  const { task, needs } = tool;
  return {
    method: 'tools/call',
    params,
    needs,
    task: task === 'forbidden' ? undefined : typeof task === 'object' ? task : {},
    offer(wrap, rules) {
      const { task: _, ...plain } = tool;
      return { tools: { [NAME]: { ...plain, run: wrap(tool.run.bind(tool)), ...(rules ? { task: rules } : {}) } } };
    },
  };
}
