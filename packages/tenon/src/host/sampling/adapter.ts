import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Tool } from '../../protocol/content.js';
import { applyDefaults } from '../../protocol/defaults.js';
import type { CreateMessageParams, CreateMessageResult, SamplingContent } from '../../protocol/input-requests.js';
import type { Model, Takes } from './model.js';
import type { ProviderOptions } from './provider-call.js';

/** What all adapters are given. */
export interface AdapterOptions extends ProviderOptions, Omit<Model, 'generate' | 'name'> {
  /** The provider's name of the model. */
  readonly model: string;
  /** What the host calls it. Default: as the provider does. */
  readonly name?: string | undefined;
  /** Parameters that this model refuses: they are left out. */
  readonly without?: readonly ('temperature' | 'stopSequences')[] | undefined;
}

/** The part of a model that its options say. */
export function createModelInfo(options: AdapterOptions, takes: Takes): Omit<Model, 'generate'> {
  const { model, name = model, standsFor, scores } = options;
  return {
    name,
    takes: applyDefaults(takes, options.takes ?? {}),
    ...(standsFor ? { standsFor } : {}),
    ...(scores ? { scores } : {}),
  };
}

/** The parameters that a model may be spared. */
export function getTuning(
  { temperature, stopSequences }: CreateMessageParams,
  { without = [] }: AdapterOptions,
): Pick<CreateMessageParams, 'temperature' | 'stopSequences'> {
  return {
    ...(temperature === undefined || without.includes('temperature') ? {} : { temperature }),
    ...(!stopSequences?.length || without.includes('stopSequences') ? {} : { stopSequences }),
  };
}

/** The schema of a tool's input as providers take it: they know one dialect of JSON Schema and want none named. */
export function getInputSchema({ inputSchema }: Tool): JsonObject {
  const { $schema: _, ...schema } = inputSchema;
  return schema;
}

export function createResult(
  content: readonly SamplingContent[],
  model: unknown,
  fallback: string,
  stopReason: string | undefined,
): CreateMessageResult {
  const [only] = content;
  return {
    role: 'assistant',
    content: content.length === 1 && only ? only : [...content],
    model: typeof model === 'string' ? model : fallback,
    ...(stopReason === undefined ? {} : { stopReason }),
  };
}

export function createBadResponseError(peer: string, what: string): TenonError {
  return new TenonError('model/answer', `the model gave no usable answer: ${what}`, { peer });
}

export function filterObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(each => typeof each === 'object' && each !== null) : [];
}

export function toNumber(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
