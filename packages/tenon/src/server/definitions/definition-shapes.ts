import {
  type Check,
  checkAnything,
  checkArray,
  checkBoolean,
  checkCacheHints,
  checkClock,
  checkEither,
  checkFalse,
  checkFunction,
  checkObject,
  checkOneOf,
  checkOptional,
  checkOptions,
  checkPlain,
  checkRange,
  checkRecord,
  checkString,
  type OptionShape,
} from '@tenon/base';
import type { InputRequestOptions } from '../../execution/options.js';
import type { ServerRateLimits } from '../default-rate-limits.js';
import type { ServerKeepAliveOptions } from '../session/session-ping.js';
import type { PromptDefinition } from './prompt.js';
import type { ResourceDefinition } from './resource.js';
import type { ServerDefinition } from './server-definition.js';
import type { TaskOptions, ToolDefinition } from './tool.js';

type DefinitionChecks<T> = { readonly [K in keyof Required<T>]: Check };

const names = checkRecord(checkAnything);
const stringArray = checkArray(checkString);
/** Definitions by name, or a function that returns them. */
const definitions = checkOptional(checkEither(checkFunction, names));
/** The schemas of some vendors are functions or have no keys of their own. */
const schema = checkOptional(checkEither(checkFunction, checkPlain));

const amount = checkOptional(checkRange('a number of at least 0', 0));
const positive = checkOptional(checkRange('a number of at least 1', 1));
const exposeErrors = checkOptional(checkEither(checkFunction, checkBoolean));

// Many clients refuse the list of all tools because of one malformed member.
const icons = checkOptional(checkArray(checkObject({ src: checkString, 'sizes?': stringArray })));
const checkAnnotations = checkObject({
  'title?': checkString,
  'readOnlyHint?': checkBoolean,
  'destructiveHint?': checkBoolean,
  'idempotentHint?': checkBoolean,
  'openWorldHint?': checkBoolean,
  'audience?': checkArray(checkOneOf('user', 'assistant')),
  'priority?': checkRange('a number from 0 to 1', 0, 1),
});
const annotations = checkOptional(value => checkPlain(value) ?? checkAnnotations(value));

const commonKeys = {
  title: checkOptional(checkString),
  description: checkOptional(checkString),
  icons,
  _meta: checkOptional(checkPlain),
  visible: checkOptional(checkFunction),
  requiredCapabilities: checkOptional(checkPlain),
  scopes: checkOptional(stringArray),
  exposeErrors,
};

const serverKeys: DefinitionChecks<ServerDefinition & { readonly mounts?: unknown }> = {
  name: checkString,
  version: checkString,
  title: checkOptional(checkString),
  description: checkOptional(checkString),
  websiteUrl: checkOptional(checkString),
  icons,
  instructions: checkOptional(checkString),
  tools: definitions,
  prompts: definitions,
  resources: definitions,
  mounts: checkOptional(checkArray(checkObject({ compose: checkFunction }))),
  methods: checkOptional(names),
  state: checkOptional(checkFunction),
  use: checkOptional(checkArray(checkFunction)),
  protocolVersions: checkOptional(stringArray),
  extensions: checkOptional(checkArray(checkObject({ id: checkString }))),
  experimental: checkOptional(names),
  acceptBatches: checkOptional(checkOneOf('by-version', 'always')),
  strict: checkOptional(checkBoolean),
  portableSchemas: checkOptional(checkBoolean),
  fuzzyCompletion: checkOptional(checkBoolean),
  pageSize: positive,
  listFilter: checkOptional(checkOneOf('visible', 'authorized')),
  cache: checkOptional(checkCacheHints),
  inputRequests: checkOptional(
    checkOptions<InputRequestOptions>({
      // `checkServerOptions` checks them.
      keys: checkAnything,
      ttl: positive,
      maxRounds: amount,
      maxStateSize: amount,
      maxSuspended: amount,
      suspendTimeout: amount,
    }),
  ),
  stores: checkOptional(checkPlain),
  logging: checkOptional(checkBoolean),
  rateLimits: checkOptional(
    checkEither(
      checkFalse,
      // `createRateLimits` checks the rates.
      checkOptions<ServerRateLimits>({
        calls: checkAnything,
        completions: checkAnything,
        notifications: checkAnything,
      }),
    ),
  ),
  onRootsChanged: checkOptional(checkFunction),
  keepAlive: checkOptional(
    checkEither(
      checkFalse,
      checkOptions<ServerKeepAliveOptions>({
        interval: positive,
        timeout: positive,
        endSession: checkOptional(checkBoolean),
      }),
    ),
  ),
  onError: checkOptional(checkFunction),
  exposeErrors,
  telemetry: checkOptional(checkPlain),
  clock: checkOptional(checkClock),
};

const checkTaskOptions = checkOptions<TaskOptions>({
  support: checkOptional(checkOneOf('optional', 'required')),
  after: amount,
  ttl: amount,
  version: checkOptional(checkString),
  pollInterval: amount,
});
const checkTaskName = checkOneOf('forbidden', 'optional', 'required');
const checkTask: Check = task => (typeof task === 'object' ? checkTaskOptions(task) : checkTaskName(task));

const toolKeys: DefinitionChecks<ToolDefinition> = {
  ...commonKeys,
  input: schema,
  output: schema,
  run: checkFunction,
  annotations,
  task: checkOptional(checkTask),
  types: checkAnything,
};

const promptKeys: DefinitionChecks<PromptDefinition> = {
  ...commonKeys,
  input: schema,
  complete: checkOptional(names),
  run: checkFunction,
  types: checkAnything,
};

const resourceKeys: DefinitionChecks<ResourceDefinition> = {
  ...commonKeys,
  name: checkOptional(checkString),
  mimeType: checkOptional(checkString),
  annotations,
  size: checkOptional(checkRange('a number of bytes', 0)),
  cache: checkOptional(checkCacheHints),
  read: checkFunction,
  list: checkOptional(checkFunction),
  complete: checkOptional(names),
  subscribe: checkOptional(checkFunction),
  allowUnsafe: checkOptional(checkBoolean),
};

export const SERVER_SHAPE: OptionShape = {
  code: 'server/definition',
  form: '{ name, version, tools?, prompts?, resources?, … }',
  keys: serverKeys,
  aliases: {
    middleware: 'use',
    middlewares: 'use',
    resourceTemplates: 'resources',
  },
};

const createRunAliases = (run: string) => ({
  execute: run,
  handler: run,
  handle: run,
  callback: run,
  call: run,
  fn: run,
  get: run,
  load: run,
});
const INPUT_ALIASES = { inputSchema: 'input', parameters: 'input', params: 'input', args: 'input', arguments: 'input' };

export const TOOL_SHAPE: OptionShape = {
  code: 'tool/definition',
  form: '{ description?, input?, output?, run(input, ctx), … }',
  keys: toolKeys,
  aliases: {
    ...createRunAliases('run'),
    ...INPUT_ALIASES,
    schema: 'input',
    argsSchema: 'input',
    outputSchema: 'output',
    middleware: 'use',
  },
  describePlace: key => (key === 'name' ? 'write the name as the key of the tool in `tools`' : undefined),
};

export const PROMPT_SHAPE: OptionShape = {
  code: 'prompt/definition',
  form: '{ description?, input?, complete?, run(input, ctx), … }',
  keys: promptKeys,
  aliases: { ...createRunAliases('run'), ...INPUT_ALIASES, schema: 'input', argsSchema: 'input' },
  describePlace: key => (key === 'name' ? 'write the name as the key of the prompt in `prompts`' : undefined),
};

export const RESOURCE_SHAPE: OptionShape = {
  code: 'resource/definition',
  form: '{ name?, mimeType?, read(variables, ctx), list?, … }',
  keys: resourceKeys,
  aliases: { ...createRunAliases('read'), run: 'read' },
  describePlace: key =>
    ['uri', 'uriTemplate', 'url', 'template'].includes(key)
      ? 'write the URI or the URI template as the key of the resource in `resources`'
      : undefined,
};
