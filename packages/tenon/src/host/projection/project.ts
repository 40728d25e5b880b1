import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { Tool } from '../../protocol/content.js';
import { type Fitted, fitSchema } from './fitting.js';
import { mapAcceptedNames } from './keys.js';
import { type AnthropicTool, type ModelProvider, type ProviderTools, RULES } from './provider.js';
import { add } from './wording.js';

/** A tool that is not offered to the model, and why. */
export interface Quarantined {
  readonly name: string;
  readonly reason: string;
}

/** Tools as a provider accepts them, and the way back. */
export interface Projection<P extends ModelProvider> {
  /** In the order of the tools. */
  readonly tools: readonly ProviderTools[P][];
  readonly quarantined: readonly Quarantined[];
  /** The name that a tool was given under; `undefined` for a name that is none of these tools. */
  original(name: string): string | undefined;
  /** The arguments as the server wants them. Those of a name that is none of these tools come back as they are. */
  arguments(name: string, args: JsonObject): JsonObject;
}

/**
 * Writes tools for a provider of models. What its schemas cannot say is said in descriptions, or asked for in a form that
 * `arguments` turns back; a schema is only ever made wider, so that the server still refuses what it refused before. A
 * definition inside itself is opened after two rounds. A tool that no provider can be told of is quarantined with the
 * reason, and the others stand as they would without it.
 */
export function project<P extends ModelProvider>(tools: readonly Tool[], provider: P): Projection<P> {
  const rules = RULES[provider];
  const quarantined: Quarantined[] = [];
  const fit = new Map<string, { readonly tool: Tool; readonly fitted: Fitted }>();
  for (const tool of tools) {
    const made = fit.has(tool.name) ? { unfit: 'another tool has the same name' } : fitTool(tool, provider);
    if ('unfit' in made) quarantined.push({ name: String(tool.name), reason: made.unfit });
    else fit.set(tool.name, { tool, fitted: made });
  }
  const names = mapAcceptedNames([...fit.keys()], rules.names);
  const originals = new Map([...names].map(([inner, outer]) => [outer, inner]));
  const written = [...fit.values()].map(({ tool, fitted: { schema, notes } }) => {
    const description = add(tool.description ?? tool.title, [...new Set(notes)]);
    return shaped(provider, { name: names.get(tool.name) ?? tool.name, description, schema });
  });
  return {
    tools: written as unknown as readonly ProviderTools[P][],
    quarantined,
    original: name => originals.get(name),
    arguments(name, args) {
      const mended = fit.get(originals.get(name) ?? '')?.fitted.mend(args);
      return isObject(mended) ? mended : args;
    },
  };
}

/** Whatever a server sends as a schema, the other tools are not to suffer from it. */
function fitTool(tool: Tool, provider: ModelProvider): Fitted | { readonly unfit: string } {
  if (typeof tool.name !== 'string') return { unfit: 'it has no name' };
  try {
    return fitSchema(tool.inputSchema, RULES[provider]);
  } catch {
    return { unfit: 'its input schema cannot be read' };
  }
}

interface NamedSchema {
  readonly name: string;
  readonly description: string | undefined;
  readonly schema: JsonObject;
}

function shaped(provider: ModelProvider, { name, description, schema }: NamedSchema): ProviderTools[ModelProvider] {
  const named = description === undefined ? { name } : { name, description };
  switch (provider) {
    case 'anthropic':
      return { ...named, input_schema: schema } satisfies AnthropicTool;
    case 'gemini':
      return Object.keys(schema.properties ?? {}).length === 0 ? named : { ...named, parameters: schema };
    case 'ai-sdk':
      return { type: 'function', ...named, inputSchema: schema };
    default:
      return { type: 'function', function: { ...named, parameters: schema, strict: provider === 'openai-strict' } };
  }
}
