import { isObject, type JsonObject } from '../jsonrpc/message.js';
import type { Prompt, PromptArgument } from '../model/content.js';
import { checkScopes } from '../model/scopes.js';
import { compileDefined } from '../schemas/schema-check.js';
import type { Validator } from '../schemas/validate.js';
import { compiledOnce } from './compiled.js';
import { requirePromptShape } from './definition-shapes.js';
import { checkMeta } from './meta-keys.js';
import type { PromptDefinition } from './prompt.js';

/** A prompt made ready. */
export interface CompiledPrompt {
  readonly definition: PromptDefinition;
  readonly wire: Prompt;
  readonly input: Validator | undefined;
}

export const compilePrompt: (name: string, definition: PromptDefinition) => CompiledPrompt = compiledOnce(make);

function make(name: string, definition: PromptDefinition): CompiledPrompt {
  requirePromptShape(name, definition);
  checkMeta(`"${name}"`, definition._meta);
  checkScopes(`"${name}"`, definition.scopes);
  const input = definition.input && compileDefined(`the input of prompt "${name}"`, definition.input, 'input');
  const { title, description, icons, _meta } = definition;
  const facts = { name, title, description, arguments: input && argumentsOf(input.json), icons, _meta };
  const wire = Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== undefined),
  ) as unknown as Prompt;
  return { definition, wire, input };
}

function argumentsOf({ properties, required }: JsonObject): PromptArgument[] {
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const { title, description } = isObject(schema) ? schema : {};
    return {
      name,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      required: needed.includes(name),
    };
  });
}
