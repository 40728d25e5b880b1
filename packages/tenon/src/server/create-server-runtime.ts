import {
  areSealKeys,
  createErrorReporter,
  dropUndefined,
  logError,
  requireShape,
  systemClock,
  TenonError,
} from '@tenon/base';
import type { RequestStateStore, RetryForwardingConfig } from '../execution/request-state-store.js';
import type { ListName } from '../protocol/lists.js';
import { isExtensionId } from '../protocol/meta.js';
import { isMethod, isNotification, methods as protocolMethods } from '../protocol/methods.js';
import { checkScopes } from '../protocol/scopes.js';
import type { Dialect } from '../protocol/versions/dialect.js';
import { dialects, getDialect } from '../protocol/versions/index.js';
import { compileDefinition } from '../schemas/schema-check.js';
import { memoryStores } from '../stores/memory-stores.js';
import { prepareStores } from '../stores/records/prepare-stores.js';
import { finalizeResult, markToolResult } from './decode-encode.js';
import { createRateLimits } from './default-rate-limits.js';
import { compilePrompt } from './definitions/compiled-prompt.js';
import { compileResource, isUriTemplate } from './definitions/compiled-resource.js';
import { compileTool } from './definitions/compiled-tool.js';
import { SERVER_SHAPE } from './definitions/definition-shapes.js';
import type { PromptDefinition } from './definitions/prompt.js';
import type { ResourceDefinition, Resources } from './definitions/resource.js';
import type { Prompts, ServerDefinition, ServerOptions, Tools } from './definitions/server-definition.js';
import { checkTaskOptions } from './definitions/task-options.js';
import type { ToolDefinition } from './definitions/tool.js';
import type { ExtensionHooks, ExtensionHost } from './extension.js';
import { checkMiddlewareMethods } from './middleware/compose-middleware.js';
import { Registry } from './registry.js';
import type { MethodHandlers, ServerBackend, ServerRuntime } from './server-runtime.js';
import { batchListChanges } from './session/batch-list-changes.js';
import { PendingElicitations } from './session/pending-elicitations.js';
import { SessionPings } from './session/session-ping.js';
import { SharedChanges } from './session/shared-changes.js';
import { SubscriptionManager } from './session/subscription-manager.js';
import { selectTemplates } from './uri-template/template-index.js';

export function createServerRuntime(
  definition: ServerDefinition<Tools, Prompts, Resources>,
  backend: ServerBackend,
): ServerRuntime {
  requireShape('definition of the server', definition, SERVER_SHAPE);
  const { name, version, title, description, websiteUrl, icons, instructions, ...options } = definition;
  checkServerOptions(options);
  const clock = options.clock ?? systemClock;
  const onError = createErrorReporter(options.onError ?? logError);
  const announceChange = batchListChanges(clock, (list, items) => runtime.subscriptions.notifyListChanged(list, items));
  const { inputRequests = {} } = options;
  const stores = prepareStores(options.stores ?? memoryStores({ clock }), inputRequests.keys, onError);
  const checkTool = (toolName: string, tool: ToolDefinition) => {
    compileTool(toolName, tool);
    checkTaskOptions(toolName, tool, options.extensions);
  };
  const sharedStores = stores.durable && backend.canShareSessions ? { ...stores, scope: toScope(name) } : undefined;
  const sharedChanges =
    sharedStores &&
    new SharedChanges(sharedStores, clock, onError, ({ kind, name: changed }) => {
      // A change in another process.
      if (kind === 'resource') runtime.subscriptions.deliverResourceUpdate(changed);
      else if (kind === 'list') runtime.subscriptions.deliverListChange(changed as ListName);
      else runtime.pendingElicitations.complete(changed);
    });
  const closeListeners = new Set(sharedChanges ? [() => sharedChanges.close()] : []);
  // A host measures the stores of its servers itself.
  if (options.telemetry && stores !== options.stores)
    closeListeners.add(options.telemetry.observeUnknownFormats(() => stores.getUnknownFormats?.() ?? []));
  const subscribe = (uri: string) => backend.watchResource?.(uri, runtime) ?? subscribeToResource(runtime, uri);
  const own = {
    tools: new Registry<ToolDefinition>(options.tools as never, checkTool, items => announceChange('tools', items)),
    prompts: new Registry<PromptDefinition>(options.prompts as never, compilePrompt, items =>
      announceChange('prompts', items),
    ),
    resources: new Registry<ResourceDefinition<never>>(addResources(options) as never, compileResource, items =>
      announceChange('resources', items),
    ),
  };
  const runtime: ServerRuntime = {
    info: dropUndefined({ name, version, title, description, websiteUrl, icons }),
    instructions,
    options,
    strict: options.strict,
    pageSize: options.pageSize ?? 1000,
    servedDialects: options.protocolVersions ? options.protocolVersions.map(resolveDialect) : dialects,
    ...(backend.extendRegistries?.(own, announceChange) ?? own),
    subscriptions: new SubscriptionManager(subscribe, onError, clock, sharedChanges),
    sessionPings: new SessionPings(clock, options.keepAlive, onError),
    pendingElicitations: new PendingElicitations(sharedChanges),
    closeListeners,
    stores,
    sharedStores,
    ...createRequestStates(options, { stores, sharedStores, clock, onError, closeListeners }),
    extensionHooks: [],
    backend,
    methodHandlers: {},
    clock,
    rateLimits: createRateLimits(
      options.rateLimits,
      clock,
      stores.durable && stores.buckets ? { buckets: stores.buckets, scope: toScope(name), onError } : undefined,
    ),
    onError,
  };
  const extensionHooks = setupExtensions(runtime);
  let methodHandlers: MethodHandlers = {};
  for (const hooks of extensionHooks) methodHandlers = { ...methodHandlers, ...hooks.methodHandlers };
  return { ...runtime, extensionHooks, methodHandlers: { ...methodHandlers, ...backend.methodHandlers } };
}

/** Sets up the extensions and returns their hooks. */
function setupExtensions(runtime: ServerRuntime): ExtensionHooks[] {
  const { stores, clock, onError, options, backend } = runtime;
  const host: ExtensionHost = {
    stores,
    clock,
    onError,
    strict: options.strict,
    runTool: (params, requestContext, run, inputs) => backend.runTool({ params, requestContext, run, inputs }, runtime),
    findObstacle: async ({ name }, requestContext, version) =>
      backend.findObstacle(String(name), version, requestContext, runtime),
    getToolAccess(name, caller) {
      const { tools } = runtime;
      const tool = tools.find(name, caller);
      return { visible: tool !== undefined || !tools.has(name), scopes: tool?.scopes ?? [] };
    },
    finalizeResult: result => finalizeResult(runtime, result),
    markToolResult,
  };
  const hooks = (options.extensions ?? []).map(extension => extension.setup?.(host));
  const { subscribe, close } = backend;
  const ofBackend = subscribe || close ? { subscribe, close } : undefined;
  return [...hooks, ofBackend].filter(extension => extension !== undefined);
}

/** Returns the resources of the server and those of its extensions. */
function addResources({
  resources,
  extensions = [],
}: Pick<ServerDefinition<Tools, Prompts, Resources>, 'resources' | 'extensions'>): typeof resources {
  const added: readonly Resources[] = extensions.flatMap(extension =>
    extension.resources === undefined ? [] : [extension.resources],
  );
  if (added.length === 0) return resources;
  return typeof resources === 'function'
    ? caller => Object.assign({}, resources(caller), ...added)
    : Object.assign({}, resources, ...added);
}

/** Creates the store of request states, which passes retries to other processes if they use the same stores. */
function createRequestStates(
  options: ServerOptions,
  {
    stores,
    sharedStores,
    clock,
    onError,
    closeListeners,
  }: Pick<ServerRuntime, 'stores' | 'sharedStores' | 'clock' | 'onError' | 'closeListeners'>,
): Pick<ServerRuntime, 'requestStates' | 'forwardRetries'> {
  const { inputRequests = {} } = options;
  let forwarding: RetryForwardingConfig | undefined;
  let store: RequestStateStore | undefined;
  return {
    requestStates: runtime => {
      store ??= new runtime.RequestStateStore({
        options: inputRequests,
        stores,
        isShared: options.stores !== undefined || !inputRequests.keys,
        getForwarding: () => forwarding,
        clock,
        onError,
      });
      return store;
    },
    forwardRetries: (load, answer) => {
      const onListening = (stop: () => void) => closeListeners.add(stop);
      if (sharedStores) forwarding = { load, stores: sharedStores, answer, onListening };
    },
  };
}

/** Converts the name of a server to a part of a store key, which may only contain certain characters. */
export const toScope = (name: string): string => name.replace(/[^\w.-]/g, '_').slice(0, 128);

function subscribeToResource({ resources }: ServerRuntime, uri: string): (() => void) | undefined {
  const anonymous = { client: undefined, capabilities: {}, auth: undefined };
  const exact = resources.find(uri, anonymous);
  if (exact) return exact.subscribe?.(uri) ?? undefined;
  for (const [key, resource] of resources.pick(isUriTemplate, anonymous, templates =>
    selectTemplates(templates, uri),
  )) {
    const { allowUnsafe } = resource;
    if (compileResource(key, resource).template?.match(uri, { allowUnsafe }))
      return resource.subscribe?.(uri) ?? undefined;
  }
  return undefined;
}

/** Method names that belong to official extensions, even if the method does not exist. */
const RESERVED_METHOD = /^(notifications\/)?tasks\//;
/** Methods of the skills extension. A server that declares it may define them itself. */
const SKILL_METHOD = /^(skills\/|resources\/directory\/read$)/;

function checkServerOptions(options: ServerOptions): void {
  const { methods = {}, extensions = [], protocolVersions, inputRequests, use = [] } = options;
  const own = [methods, ...extensions.map(each => each.methods ?? {})].flatMap(each => Object.keys(each));
  checkMiddlewareMethods(use, [...Object.keys(protocolMethods), ...own]);
  for (const [name, { params, scopes }] of Object.entries(methods)) {
    checkScopes(`method "${name}"`, scopes);
    const isTaken = SKILL_METHOD.test(name) && !extensions.some(({ id }) => id === 'io.modelcontextprotocol/skills');
    if (isTaken || isMethod(name) || isNotification(name) || RESERVED_METHOD.test(name))
      throw new TenonError('server/method-taken', `invalid method name "${name}": the protocol reserves it`, {
        expected: 'a name with a prefix, such as com.example/thing',
      });
    if (params) compileDefinition(`the params of method "${name}"`, params, 'input');
  }
  const ids = extensions.map(({ id }) => id);
  for (const [index, id] of ids.entries()) {
    if (isExtensionId(id) && ids.indexOf(id) === index) continue;
    throw new TenonError('server/extension-id', `invalid extension id "${id}"`, {
      expected: 'a unique id with a prefix, such as com.example/thing',
    });
  }
  if (protocolVersions?.length === 0)
    throw new TenonError('server/no-protocol-version', '`protocolVersions` is empty', {
      hint: 'name at least one version, or leave the option out to serve all',
    });
  if (inputRequests?.keys && !areSealKeys(inputRequests.keys)) {
    throw new TenonError('server/state-keys', 'invalid `inputRequests.keys`', {
      expected: 'at least one key of 32 bytes, with unique ids of letters, digits, "_" and "-"',
    });
  }
}

function resolveDialect(version: string): Dialect {
  const dialect = getDialect(version);
  if (dialect) return dialect;
  const expected = `one of ${dialects.map(each => each.protocolVersion).join(', ')}`;
  throw new TenonError('server/protocol-version', 'unknown protocol version', { expected, received: version });
}
