import { dropUndefined, requireShape, TenonError } from '@tenon/base';
import { checkMeta } from '../../protocol/check-meta.js';
import type { Prompt, PromptArgument } from '../../protocol/content.js';
import { checkScopes } from '../../protocol/scopes.js';
import type { Validator } from '../../schemas/compile-schema.js';
import { compileDefinition } from '../../schemas/schema-check.js';
import { isScalar, readTextArguments, type TextArgument } from '../../schemas/text-arguments.js';
import { memoizeCompile } from '../registry.js';
import { PROMPT_SHAPE } from './definition-shapes.js';
import type { PromptDefinition } from './prompt.js';

/** A prompt with its prepared schema and arguments. */
export interface CompiledPrompt {
  readonly definition: PromptDefinition;
  readonly wire: Prompt;
  readonly input: Validator | undefined;
  /** The arguments in the input schema. */
  readonly arguments: readonly TextArgument[];
}

export const compilePrompt: (name: string, definition: PromptDefinition) => CompiledPrompt = memoizeCompile(
  (name, definition) => {
    requireShape(`prompt "${name}"`, definition, PROMPT_SHAPE);
    checkMeta(`"${name}"`, definition._meta);
    checkScopes(`"${name}"`, definition.scopes);
    const input = definition.input && compileDefinition(`the input of prompt "${name}"`, definition.input, 'input');
    const textArguments = input ? readTextArguments(input.json) : [];
    if (textArguments === undefined) {
      const hint = 'wrap the schema in an object with one property for each argument';
      throw new TenonError('prompt/input', `the input schema of prompt "${name}" is not an object`, { hint });
    }
    // The protocol sends every argument as a string.
    const unsupported = textArguments.find(each => !isScalar(each));
    if (unsupported)
      throw new TenonError('prompt/input', `invalid type of the argument "${unsupported.name}" of prompt "${name}"`, {
        expected: 'a string, a number or a boolean',
        received: [...unsupported.types].join(' or ') || 'nothing',
        hint: 'declare a string, and parse it in a transform or in `run`',
      });
    const { title, description, icons, _meta } = definition;
    const described = { name, title, description, arguments: input && textArguments.map(toWireArgument), icons, _meta };
    const wire: Prompt = dropUndefined(described);
    return { definition, wire, input, arguments: textArguments };
  },
);

function toWireArgument({ name, title, description, required }: TextArgument): PromptArgument {
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    required,
  };
}
