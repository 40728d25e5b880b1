import {
  anything,
  type Check,
  callable,
  either,
  falsehood,
  list,
  numberIn,
  object,
  oneOf,
  optional,
  text,
  truth,
} from '../model/check.js';
import { type OptionShape, requireShape } from '../model/option-check.js';
import type { ServerDefinition } from './definition.js';
import type { PromptDefinition } from './prompt.js';
import type { ResourceDefinition } from './resource.js';
import type { ToolDefinition } from './tool.js';

type Keys<T> = { readonly [K in keyof Required<T>]: Check };

const object_ = object();
const texts = list(text);
const catalog = optional(either(callable, object_));
/** A vendor's schema may be a function. */
const schema = optional(either(callable, object_));

const common = {
  title: optional(text),
  description: optional(text),
  icons: optional(list(object_)),
  _meta: optional(object_),
  visible: optional(callable),
  needs: optional(object_),
  scopes: optional(texts),
};

const serverKeys: Keys<ServerDefinition> = {
  name: text,
  version: text,
  title: optional(text),
  description: optional(text),
  websiteUrl: optional(text),
  icons: optional(list(object_)),
  instructions: optional(text),
  tools: catalog,
  prompts: catalog,
  resources: catalog,
  methods: optional(object_),
  state: optional(callable),
  use: optional(list(callable)),
  revisions: optional(texts),
  extensions: optional(list(object({ id: text }))),
  experimental: optional(object_),
  acceptBatches: optional(oneOf('by-version', 'always')),
  pageSize: optional(numberIn('a number of at least 1', 1)),
  listed: optional(oneOf('visible', 'callable')),
  cache: optional(object_),
  asking: optional(object_),
  stores: optional(object_),
  logging: optional(truth),
  rateLimits: optional(either(truth, object_)),
  onRootsChanged: optional(callable),
  keepAlive: optional(either(falsehood, object_)),
  onProblem: optional(callable),
  clock: optional(object_),
  front: anything,
};

const toolKeys: Keys<ToolDefinition> = {
  ...common,
  input: schema,
  output: schema,
  run: callable,
  annotations: optional(object_),
  task: optional(either(oneOf('forbidden', 'optional', 'required'), object_)),
  types: anything,
};

const promptKeys: Keys<PromptDefinition> = {
  ...common,
  input: schema,
  complete: optional(object_),
  run: callable,
  types: anything,
};

const resourceKeys: Keys<ResourceDefinition> = {
  ...common,
  name: optional(text),
  mimeType: optional(text),
  annotations: optional(object_),
  size: optional(numberIn('a number of bytes', 0)),
  cache: optional(object_),
  read: callable,
  list: optional(callable),
  complete: optional(object_),
  subscribe: optional(callable),
  allowUnsafe: optional(truth),
};

const SERVER: OptionShape = {
  code: 'server/definition',
  form: '{ name, version, tools?, prompts?, resources?, … }',
  keys: serverKeys,
  aliases: { middleware: 'use', middlewares: 'use', resourceTemplates: 'resources', protocolVersions: 'revisions' },
};

const RUN = { execute: 'run', handler: 'run', handle: 'run', callback: 'run', call: 'run', fn: 'run' };
const INPUT = { inputSchema: 'input', parameters: 'input', params: 'input', args: 'input', arguments: 'input' };

const TOOL: OptionShape = {
  code: 'tool/definition',
  form: '{ description?, input?, output?, run(input, ctx), … }',
  keys: toolKeys,
  aliases: { ...RUN, ...INPUT, schema: 'input', argsSchema: 'input', outputSchema: 'output', middleware: 'use' },
};

const PROMPT: OptionShape = {
  code: 'prompt/definition',
  form: '{ description?, input?, complete?, run(input, ctx), … }',
  keys: promptKeys,
  aliases: { ...RUN, ...INPUT, schema: 'input', argsSchema: 'input', load: 'run' },
};

const RESOURCE: OptionShape = {
  code: 'resource/definition',
  form: '{ name?, mimeType?, read(variables, ctx), list?, … }',
  keys: resourceKeys,
  aliases: {
    ...RUN,
    run: 'read',
    load: 'read',
    execute: 'read',
    handler: 'read',
    callback: 'read',
    call: 'read',
    fn: 'read',
    handle: 'read',
  },
};

/** Throws `server/definition` for a definition that is none: a missing member, one of another type, an unknown key. */
export function requireServerShape(definition: unknown): void {
  requireShape('the definition of the server', definition, SERVER);
}

/** Throws `tool/definition`. */
export function requireToolShape(name: string, definition: unknown): void {
  requireShape(`tool "${name}"`, definition, TOOL);
}

/** Throws `prompt/definition`. */
export function requirePromptShape(name: string, definition: unknown): void {
  requireShape(`prompt "${name}"`, definition, PROMPT);
}

/** Throws `resource/definition`. */
export function requireResourceShape(key: string, definition: unknown): void {
  requireShape(`resource "${key}"`, definition, RESOURCE);
}
