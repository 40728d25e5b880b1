import { TenonError } from '../jsonrpc/error.js';
import type { Prompt, PromptArgument } from '../model/content.js';
import { checkMeta } from '../model/meta-keys.js';
import { checkScopes } from '../model/scopes.js';
import { compileDefined } from '../schemas/schema-check.js';
import { isScalar, readTextArguments, type TextArgument } from '../schemas/text-arguments.js';
import type { Validator } from '../schemas/validate.js';
import { compiledOnce } from './compiled.js';
import { requirePromptShape } from './definition-shapes.js';
import type { PromptDefinition } from './prompt.js';

/** A prompt made ready. */
export interface CompiledPrompt {
  readonly definition: PromptDefinition;
  readonly wire: Prompt;
  readonly input: Validator | undefined;
  /** The arguments that the input describes. */
  readonly arguments: readonly TextArgument[];
}

export const compilePrompt: (name: string, definition: PromptDefinition) => CompiledPrompt = compiledOnce(make);

function make(name: string, definition: PromptDefinition): CompiledPrompt {
  requirePromptShape(name, definition);
  checkMeta(`"${name}"`, definition._meta);
  checkScopes(`"${name}"`, definition.scopes);
  const input = definition.input && compileDefined(`the input of prompt "${name}"`, definition.input, 'input');
  const described = input ? argumentsOf(name, input) : [];
  const { title, description, icons, _meta } = definition;
  const facts = { name, title, description, arguments: input && described.map(wireOf), icons, _meta };
  const wire = Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== undefined),
  ) as unknown as Prompt;
  return { definition, wire, input, arguments: described };
}

/** Throws `prompt/input` where the input wants what no text can be: on the wire each argument is a string. */
function argumentsOf(name: string, { json }: Validator): TextArgument[] {
  const described = readTextArguments(json);
  if (described === undefined) {
    const next = 'wrap the schema in an object: each property is an argument';
    throw new TenonError('prompt/input', `the input of prompt "${name}" is no object`, { next });
  }
  const unfit = described.find(each => !isScalar(each));
  if (unfit === undefined) return described;
  throw new TenonError('prompt/input', `the input of prompt "${name}": no text can be the argument "${unfit.name}"`, {
    expected: 'a string, a number or a boolean',
    got: [...unfit.types].join(' or ') || 'nothing',
    next: 'take a string, and parse it in a transform or in run',
  });
}

function wireOf({ name, title, description, required }: TextArgument): PromptArgument {
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    required,
  };
}
