import { generateText, type LanguageModel, type ToolSet, tool } from 'ai';
import type { CreateMessageParams } from 'tenon';
import type { Model } from 'tenon/host';
import { toInputSchema } from './input-schema.js';
import { toModelError } from './model-error.js';
import { getToolUses, toModelMessages } from './model-messages.js';
import { toSamplingResult } from './sampling-result.js';
import { createToolNames, type ToolNames } from './tool-names.js';

/** Options of `createModel`. */
export interface CreateModelOptions extends Omit<Model, 'name' | 'generate'> {
  /** Compared with the hints of servers, and shown to reviewers. Default: the model id of the provider. */
  readonly name?: string | undefined;
  /** Inputs that the model supports beside text. Default: images and tools. */
  readonly takes?: Model['takes'];
  /** Retries of the AI SDK after a network error or a status such as 429. Default 2. */
  readonly maxRetries?: number | undefined;
  /**
   * Texts that errors never show, such as an API key without a known prefix. Known kinds of keys are always removed.
   */
  readonly secrets?: readonly string[] | undefined;
}

/**
 * Makes a model for `createBroker` of any language model of the AI SDK. Pass settings of the provider to
 * `defaultSettingsMiddleware` of the AI SDK. Its `generate` rejects with `model/unreachable`, `model/refused`,
 * `model/answer` or `model/failed`.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
 */
export function createModel(languageModel: LanguageModel, options: CreateModelOptions = {}): Model {
  const { name = getModelId(languageModel), takes, standsFor, scores, maxRetries = 2, secrets } = options;
  return {
    name,
    standsFor,
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
          // `generateText` rejects an answer that violates `toolChoice`, and its error has no usage.
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
