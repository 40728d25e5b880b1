import { describeMismatch, isObject, type JsonObject, requireArgument, TenonError } from '@tenon/base';
import type { MaybeAsyncResult } from '../handler/operation.js';
import { LISTS, type ListName } from '../protocol/lists.js';
import { MOUNTABLE, type Mount } from '../server/definitions/mount.js';
import type { ServerDefinition } from '../server/definitions/server-definition.js';
import type { ServerExtension } from '../server/extension.js';
import { resolveResource } from '../server/methods/resources.js';
import type { HasVisibility, Registry } from '../server/registry.js';
import type { RequestContext } from '../server/request-context.js';
import type {
  MethodCall,
  Registries,
  ServerBackend,
  ServerMethodHandler,
  ServerRuntime,
} from '../server/server-runtime.js';
import { checkMountedNames, type MountedServer, toMountedName, toPublicName } from './mount-names.js';
import { type ListMethod, listWithMounted } from './mounted-lists.js';
import { addListener, MountedRegistry } from './mounted-registry.js';
import { ALL_ENTRIES, runAtMounted, runMountedTool } from './run-mounted.js';

/** A server that can be mounted: the result of `createServer`. */
interface MountableTypes {
  readonly types?: { readonly tools: unknown; readonly prompts: unknown; readonly resources: unknown } | undefined;
  readonly [MOUNTABLE]?: object | undefined;
}

/** Types of a server. */
type ServerTypesOf<S extends MountableTypes> = NonNullable<S['types']>;

const PREFIX = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/;
/** Caller of a watch, which all subscribers of a resource share. */
const ANYONE = { client: undefined, capabilities: {}, auth: undefined };

const mountedByMount = new WeakMap<Mount, MountedServer>();

/**
 * Offers the tools, prompts and resources of a server in another one, for the option `mounts` of `createServer`.
 *
 * Tool `add` becomes `PREFIX_add`, and resource `note://today` becomes `note://PREFIX/today`. Handlers, scopes,
 * middleware, state and rate limits are those of the mounted server. Changes of its lists and resources reach the clients.
 * It can be mounted several times, and be served on its own as well.
 *
 * @param prefix 1 to 32 letters, digits, `_`, `-` and `.`, with a letter or digit at the beginning.
 * @param server A server of `createServer`. A proxy or a gateway cannot be mounted.
 * @throws TenonError `mount/prefix` or `options/invalid`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server
 */
export function mount<const Prefix extends string, S extends MountableTypes>(
  prefix: Prefix,
  server: S,
): Mount<Prefix, ServerTypesOf<S>> {
  if (typeof prefix !== 'string' || !PREFIX.test(prefix))
    throw new TenonError('mount/prefix', 'invalid prefix of a mounted server', {
      expected: '1 to 32 letters, digits, "_", "-" and ".", with a letter or digit at the beginning',
      received: typeof prefix === 'string' ? JSON.stringify(prefix.slice(0, 64)) : typeof prefix,
    });
  const runtime = (isObject(server) ? (server as MountableTypes)[MOUNTABLE] : undefined) as ServerRuntime;
  requireArgument('`server` of mount', server, value =>
    runtime?.backend.usesRegistries ? undefined : describeMismatch('a server of createServer', value),
  );
  const created: Mount<Prefix, ServerTypesOf<S>> = { prefix, compose: composeServer };
  mountedByMount.set(created, { prefix, runtime });
  return created;
}

/** Creates a server of a definition that also offers mounted servers. */
function composeServer<S>(
  { mounts = [], ...definition }: ServerDefinition & { readonly mounts?: readonly Mount[] | undefined },
  local: ServerBackend,
  create: (definition: ServerDefinition, backend: ServerBackend) => S,
): S {
  const mounted = mounts.map(each => {
    const found = mountedByMount.get(each);
    if (found) return found;
    throw new TenonError('options/invalid', '`mounts` is invalid', { expected: 'an array of results of mount()' });
  });
  const extensions = [...(definition.extensions ?? []), ...selectDeclared(mounted, definition.extensions)];
  const rootsListeners = [definition, ...mounted.map(({ runtime }) => runtime.options)].flatMap(
    ({ onRootsChanged }) => onRootsChanged ?? [],
  );
  return create(
    {
      ...definition,
      ...(extensions.length > 0 ? { extensions } : {}),
      ...(rootsListeners.length > 0
        ? { onRootsChanged: async change => void (await Promise.all(rootsListeners.map(each => each(change)))) }
        : {}),
    },
    createMountingBackend(mounted, definition, local),
  );
}

/** Selects the extensions that mounted servers only declare. Those with methods or hooks need a place in the outer server. */
function selectDeclared(
  mounted: readonly MountedServer[],
  own: readonly ServerExtension[] = [],
): readonly ServerExtension[] {
  const declared = mounted.flatMap(({ runtime }) => runtime.options.extensions ?? []);
  const byId = new Map(declared.map(extension => [extension.id, extension]));
  return [...byId.values()]
    .filter(({ id, methods, setup }) => !methods && !setup && !own.some(each => each.id === id))
    .map(({ resources: _, ...extension }) => extension);
}

function createMountingBackend(
  mounted: readonly MountedServer[],
  { extensions = [] }: ServerDefinition,
  local: ServerBackend,
): ServerBackend {
  let own: Registries | undefined;
  const stopListeners: (() => void)[] = [];

  /** Finds the mounted server of a tool, a prompt or a template, unless the server has one of its own with this name. */
  const findByName = (list: ListName, name: string, { caller }: Pick<RequestContext, 'caller'>) => {
    if (own?.[list].find(name, caller)) return undefined;
    return mounted.find(({ prefix, runtime }) => {
      const mountedName = toMountedName(prefix, list, name);
      return mountedName !== undefined && runtime[list].find(mountedName, caller) !== undefined;
    });
  };

  const findByUri = (uri: string, requestContext: RequestContext) => {
    if (own?.resources.find(uri, requestContext.caller)) return undefined;
    return mounted.find(({ prefix, runtime }) => {
      const mountedUri = toMountedName(prefix, 'resources', uri);
      return mountedUri !== undefined && resolveResource(runtime, mountedUri, requestContext) !== undefined;
    });
  };

  const runLocally = (call: MethodCall): MaybeAsyncResult => {
    const handler: ServerMethodHandler<never> | undefined = local.methodHandlers[call.method];
    if (handler) return handler(call as never);
    throw new TenonError('mount/method', `the server has no method ${call.method}`);
  };

  const runNamed =
    <M extends 'tools/call' | 'prompts/get'>(list: 'tools' | 'prompts') =>
    (call: MethodCall<M>): MaybeAsyncResult => {
      const target = findByName(list, call.params.name, call.requestContext);
      if (target === undefined) return runLocally(call as never);
      const name = toMountedName(target.prefix, list, call.params.name);
      return runAtMounted(call as never, target, { ...call.params, name }, undefined);
    };

  const runRead = (call: MethodCall<'resources/read'> | MethodCall<'resources/subscribe'>): MaybeAsyncResult => {
    const target = findByUri(call.params.uri, call.requestContext);
    if (target === undefined) return runLocally(call as never);
    const uri = toMountedName(target.prefix, 'resources', call.params.uri);
    // Subscriptions have the URI of this server, whose clients are notified.
    const handler = call.method === 'resources/subscribe' ? () => runLocally(call as never) : undefined;
    return runAtMounted(call as never, target, { ...call.params, uri }, handler);
  };

  const complete = (call: MethodCall<'completion/complete'>): MaybeAsyncResult => {
    const { ref } = call.params;
    const target =
      ref.type === 'ref/prompt'
        ? findByName('prompts', ref.name, call.requestContext)
        : findByName('resources', ref.uri, call.requestContext);
    if (target === undefined) return runLocally(call as never);
    const mountedRef =
      ref.type === 'ref/prompt'
        ? { ...ref, name: toMountedName(target.prefix, 'prompts', ref.name) }
        : { ...ref, uri: toMountedName(target.prefix, 'resources', ref.uri) };
    // Identical completions of one client are run once. Those of two mounted servers with a prompt of one name differ by this.
    const completed = { ...call.params, ref: mountedRef, mount: [target.prefix, call.params.mount ?? null] };
    return runAtMounted(call as never, target, completed, undefined);
  };

  const list =
    <M extends ListMethod>(method: M) =>
    (call: MethodCall<M>): Promise<JsonObject> => {
      const handler: ServerMethodHandler<never> | undefined = local.methodHandlers[method];
      if (own === undefined || handler === undefined) throw new TenonError('mount/method', `no method ${method}`);
      const server: ServerRuntime = { ...call.server, ...own, pageSize: ALL_ENTRIES };
      return listWithMounted(call as never, { server, handler }, mounted);
    };

  return {
    ...local,
    hasMiddleware: mounted.some(
      ({ runtime }) => (runtime.options.use ?? []).length > 0 || runtime.backend.hasMiddleware,
    ),
    methodHandlers: {
      ...local.methodHandlers,
      'tools/list': list('tools/list'),
      'prompts/list': list('prompts/list'),
      'resources/list': list('resources/list'),
      'resources/templates/list': list('resources/templates/list'),
      'tools/call': runNamed<'tools/call'>('tools'),
      'prompts/get': runNamed<'prompts/get'>('prompts'),
      'resources/read': runRead,
      'resources/subscribe': runRead,
      'completion/complete': complete,
    },
    extendRegistries(registries, announce) {
      own = registries;
      checkMountedNames(
        mounted,
        {
          tools: registries.tools.listNames(),
          prompts: registries.prompts.listNames(),
          resources: registries.resources.listNames(),
        },
        extensions,
      );
      for (const { runtime } of mounted)
        for (const name of LISTS) stopListeners.push(addListener(runtime[name], items => announce(name, items)));
      const extend = <D extends HasVisibility>(
        name: ListName,
        registry: Registry<D>,
        select: (runtime: ServerRuntime) => Registry<D>,
      ): Registry<D> =>
        new MountedRegistry(
          registry,
          mounted.map(({ prefix, runtime }) => ({
            registry: select(runtime),
            toPublicName: each => toPublicName(prefix, name, each),
            toMountedName: each => toMountedName(prefix, name, each),
          })),
        );
      return {
        tools: extend('tools', registries.tools, ({ tools }) => tools),
        prompts: extend('prompts', registries.prompts, ({ prompts }) => prompts),
        resources: extend('resources', registries.resources, ({ resources }) => resources),
      };
    },
    watchResource(uri, runtime) {
      if (own?.resources.find(uri, ANYONE)) return undefined;
      for (const { prefix, runtime: each } of mounted) {
        const mountedUri = toMountedName(prefix, 'resources', uri);
        if (mountedUri === undefined || !each.resources.isOffered) continue;
        const subscriber = {
          caller: ANYONE,
          wants: () => false,
          deliver: () => runtime.subscriptions.notifyResourceUpdated(uri),
        };
        each.subscriptions.subscribe(subscriber, mountedUri);
        return () => each.subscriptions.unsubscribe(subscriber, mountedUri);
      }
      return undefined;
    },
    runTool(call, runtime) {
      const name = String(call.params.name);
      const target = findByName('tools', name, call.requestContext);
      if (target === undefined) return local.runTool(call, runtime);
      const params = { ...call.params, name: toMountedName(target.prefix, 'tools', name) };
      return runMountedTool(runtime, target, { ...call, params });
    },
    close() {
      for (const stop of stopListeners) stop();
    },
  };
}
