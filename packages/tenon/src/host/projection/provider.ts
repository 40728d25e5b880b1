import type { JsonObject } from '../../jsonrpc/message.js';

/** Who reads the definitions. `openai-strict` is OpenAI with `strict: true`, which holds the model to the schema. */
export type ModelProvider = 'anthropic' | 'openai' | 'openai-strict' | 'gemini' | 'ai-sdk';

/** A tool of the Messages API. https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview */
export interface AnthropicTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: JsonObject;
}

/**
 * A function of Chat Completions and of what is compatible with it. The Responses API takes the same members one level up:
 * `{ type: 'function', ...tool.function }`. https://platform.openai.com/docs/guides/function-calling
 */
export interface OpenAiTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters: JsonObject;
    readonly strict: boolean;
  };
}

/** A function declaration; `parameters` is absent when there are none. https://ai.google.dev/api/caching#FunctionDeclaration */
export interface GeminiTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: JsonObject;
}

/**
 * A function tool as the AI SDK hands it to a language model. For `generateText`, key them by name and put the schema into
 * its wrapper: `tool({ description, inputSchema: jsonSchema(inputSchema) })`. https://ai-sdk.dev/docs/reference/ai-sdk-core/json-schema
 */
export interface AiSdkTool {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
}

/** What each provider is given for a tool. */
export interface ProviderTools {
  readonly anthropic: AnthropicTool;
  readonly openai: OpenAiTool;
  readonly 'openai-strict': OpenAiTool;
  readonly gemini: GeminiTool;
  readonly 'ai-sdk': AiSdkTool;
}

/** What a provider accepts. Where its pages say less than its refusals do, the refusals count. */
export interface Rules {
  /** Names of tools; 64 characters for all, though some models take 128. */
  readonly names: RegExp;
  /** Names of properties, and whether only those of the root are looked at. */
  readonly keys: RegExp;
  readonly keysAt: 'root' | 'everywhere' | 'nowhere';
  /** Formats of strings that do not make it refuse the request; absent: any. */
  readonly formats?: ReadonlySet<string>;
  /** Keywords of each type that may stand in its schema; absent: all of JSON Schema 2020-12. */
  readonly subset?: Subset;
}

export interface Subset {
  readonly string: readonly string[];
  readonly number: readonly string[];
  readonly array: readonly string[];
  /** All properties required, no others allowed. */
  readonly strict: boolean;
  /** `nullable` stands for the type null, `enum` holds texts only, and `anyOf` stands alone. */
  readonly openapi: boolean;
}

const NAMES = /^[A-Za-z0-9_-]{1,64}$/;
const KEYS = /^[A-Za-z0-9_.-]{1,64}$/;
const OPENAI_FORMATS = new Set('date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '));
const ITEM_COUNTS = ['minItems', 'maxItems'];
const RANGE = ['minimum', 'maximum'];

/**
 * - Anthropic: the root is an object without `anyOf`, `oneOf`, `allOf`; draft 2020-12; keys of the root.
 * - OpenAI: nor `enum`, `const`, `not` at the root; arrays say their items; a short list of formats.
 * - OpenAI, strict: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 * - Gemini: the fields of https://ai.google.dev/api/caching#Schema; an object has properties, texts in `enum` are not empty.
 * - AI SDK: it hands on to any provider, so what all of JSON Schema's providers refuse is left out.
 */
export const RULES: Readonly<Record<ModelProvider, Rules>> = {
  anthropic: { names: NAMES, keys: KEYS, keysAt: 'root' },
  openai: { names: NAMES, keys: KEYS, keysAt: 'nowhere', formats: OPENAI_FORMATS },
  'openai-strict': {
    names: NAMES,
    keys: KEYS,
    keysAt: 'everywhere',
    formats: OPENAI_FORMATS,
    subset: {
      string: ['pattern', 'format'],
      number: [...RANGE, 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
      array: ITEM_COUNTS,
      strict: true,
      openapi: false,
    },
  },
  gemini: {
    names: /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/,
    keys: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
    keysAt: 'everywhere',
    formats: new Set(['date-time']),
    subset: {
      string: ['pattern', 'format', 'minLength', 'maxLength'],
      number: RANGE,
      array: ITEM_COUNTS,
      strict: false,
      openapi: true,
    },
  },
  'ai-sdk': { names: NAMES, keys: KEYS, keysAt: 'root', formats: OPENAI_FORMATS },
};
