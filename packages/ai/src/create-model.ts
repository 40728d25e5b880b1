import {
  checkArray,
  checkBoolean,
  checkCharacters,
  checkEither,
  checkObject,
  checkOptional,
  checkOptions,
  checkRange,
  checkString,
  checkWhole,
  type OptionChecks,
  requireArgument,
  requirePresentOptions,
} from '@tenon/base';
import type { Model } from '@tenon/host';
import { generateText, type LanguageModel, type ToolSet, tool } from 'ai';
import type { CreateMessageParams } from 'tenon';
import { toInputSchema } from './input-schema.js';
import { toModelError } from './model-error.js';
import { getToolUses, toModelMessages } from './model-messages.js';
import { toSamplingResult } from './sampling-result.js';
import { createToolNames, type ToolNames } from './tool-names.js';

/** Options of `createModel`. */
export interface CreateModelOptions extends Omit<Model, 'name' | 'generate'> {
  /**
   * Name of the model, which is compared with the model hints of servers and shown to reviewers.
   * @default the model ID of the provider
   */
  readonly name?: string | undefined;
  /**
   * Content types that the model accepts in addition to text.
   * @default images and tools
   */
  readonly takes?: Model['takes'];
  /**
   * Maximum number of retries by the AI SDK after a network error or a status such as 429.
   * @default 2
   */
  readonly maxRetries?: number | undefined;
  /**
   * Texts to remove from errors, such as an API key without a known prefix. API keys of known formats are always
   * removed.
   * @default none
   */
  readonly secrets?: readonly string[] | undefined;
}

const texts = checkOptional(checkArray(checkString));
const flag = checkOptional(checkBoolean);
const score = checkOptional(checkRange('a number from 0 to 1', 0, 1));
const optionChecks: OptionChecks<CreateModelOptions> = {
  name: checkOptional(checkCharacters),
  takes: checkOptional(checkOptions<NonNullable<Model['takes']>>({ images: flag, audio: flag, tools: flag })),
  maxRetries: checkOptional(checkWhole('a whole number of at least 0', 0)),
  secrets: texts,
  replaces: texts,
  scores: checkOptional(checkOptions<NonNullable<Model['scores']>>({ cost: score, speed: score, intelligence: score })),
};

/**
 * Creates a model for `createBroker` from a language model of the AI SDK. Its `generate` rejects with
 * `model/unreachable`, `model/refused`, `model/answer` or `model/failed`. To set provider options, wrap the language
 * model with `defaultSettingsMiddleware` of the AI SDK.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
 */
export function createModel(languageModel: LanguageModel, options: CreateModelOptions = {}): Model {
  requirePresentOptions('createModel', options, optionChecks);
  requireArgument(
    '`languageModel` of createModel',
    languageModel,
    checkEither(checkCharacters, checkObject({ modelId: checkString })),
  );
  const { name = getModelId(languageModel), takes, replaces, scores, maxRetries = 2, secrets } = options;
  return {
    name,
    replaces,
    scores,
    takes: { images: takes?.images ?? true, audio: takes?.audio ?? false, tools: takes?.tools ?? true },
    async generate(request, { signal, spent }) {
      const names = createToolNames(listToolNames(request));
      try {
        const result = await generateText({
          model: languageModel,
          ...toCallSettings(request, names),
          messages: toModelMessages(request.messages, names),
          abortSignal: signal,
          maxRetries,
          // `generateText` rejects a response that violates `toolChoice`, and its error does not contain the usage.
          onLanguageModelCallEnd({ usage }) {
            if (usage.totalTokens !== undefined) spent?.(usage.totalTokens);
          },
        });
        return toSamplingResult(result, names, name);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw toModelError(error, name, secrets);
      }
    },
  };
}

function getModelId(languageModel: LanguageModel): string {
  return typeof languageModel === 'string' ? languageModel : languageModel.modelId;
}

function listToolNames({ tools = [], messages }: CreateMessageParams): string[] {
  return [...tools, ...messages.flatMap(getToolUses)].map(({ name }) => name);
}

function toCallSettings(request: CreateMessageParams, names: ToolNames) {
  const { systemPrompt, maxTokens, temperature, stopSequences = [], tools = [], toolChoice } = request;
  return {
    maxOutputTokens: maxTokens,
    ...(systemPrompt ? { instructions: systemPrompt } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(stopSequences.length > 0 ? { stopSequences } : {}),
    ...(tools.length > 0 ? { tools: toToolSet(tools, names), toolChoice: toolChoice?.mode ?? ('auto' as const) } : {}),
  };
}

/** Creates tools without `execute`, because the requesting server runs them. */
function toToolSet(tools: NonNullable<CreateMessageParams['tools']>, names: ToolNames): ToolSet {
  return Object.fromEntries(
    tools.map(each => [
      names.toProvider(each.name),
      tool({
        ...(each.description === undefined ? {} : { description: each.description }),
        inputSchema: toInputSchema(each),
      }),
    ]),
  );
}
