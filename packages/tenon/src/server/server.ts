import { INVALID_REQUEST } from '@tenon/base';
import { createFailure } from '../jsonrpc/message.js';
import type { Transport } from '../jsonrpc/transport.js';
import { requireConnectArguments } from '../protocol/check-request-handler.js';
import type { Implementation } from '../protocol/content.js';
import { classifyRequest, classifyWithoutSession } from '../protocol/negotiation/classify-request.js';
import type { ConnectOptions, RequestHandler, SessionHandle } from '../protocol/request-handler.js';
import { withoutSession } from '../protocol/versions/stateless-variant.js';
import { createServerRuntime } from './create-server-runtime.js';
import {
  type ComposeServer,
  MOUNTABLE,
  type Mount,
  type MountOption,
  type WithMountedPrompts,
  type WithMountedResources,
  type WithMountedTools,
} from './definitions/mount.js';
import type { PromptDefinition } from './definitions/prompt.js';
import type { ResourceRegistry, Resources } from './definitions/resource.js';
import type { Prompts, ServerDefinition, Tools } from './definitions/server-definition.js';
import type { ToolDefinition } from './definitions/tool.js';
import { localBackend } from './local-backend.js';
import type { Registry } from './registry.js';
import type { ServerBackend, ServerRuntime } from './server-runtime.js';
import { Session } from './session/session.js';
import { createStatelessHandler, respondToStatelessRequest } from './stateless-request.js';

/** Key that is read to find out if the stores respond. It has no value. */
const HEALTH_KEY = 'health';

/** An object with known keys: URIs of resources, or names of methods. */
export type KnownKeys = { readonly [key: string]: unknown };

/** A server. It serves any number of peers at the same time, over any transports, and keeps their data separate. */
export interface Server<T = Tools, P = Prompts, R = KnownKeys> extends RequestHandler {
  /** Name and version of the server. */
  readonly info: Implementation;
  /** Tools of the server. They may change at any time. */
  readonly tools: Registry<ToolDefinition>;
  /** Prompts of the server. They may change at any time. */
  readonly prompts: Registry<PromptDefinition>;
  /** Resources and resource templates of the server. They may change at any time. */
  readonly resources: ResourceRegistry;
  /** Serves one peer until its transport closes. The result has `ping`. */
  connect(transport: Transport, options?: ConnectOptions): Promise<SessionHandle>;
  /** Notifies subscribers that the resource of this URI has changed. */
  notifyResourceUpdated(uri: string): void;
  /**
   * Reports that a URL elicitation is complete. The client of the elicitation gets a notification, on versions that
   * have it.
   *
   * Returns false when no client of this process waits for it. Other processes with the same `stores` notify their
   * clients.
   */
  completeElicitation(elicitationId: string): boolean;
  /**
   * Ends every open `subscriptions/listen` stream with its result, and releases the tasks. Transports and stores must
   * be closed separately.
   */
  close(): void;
  /** Used by a server in which this one is mounted. @internal */
  readonly [MOUNTABLE]?: object | undefined;
  /** Types of the server for `connect<typeof server>`, for the compiler only. */
  readonly types?: { readonly tools: T; readonly prompts: P; readonly resources: R };
}

/**
 * Creates a server from its definition.
 * @throws TenonError `server/definition`, `tool/definition` and similar codes when a name, a schema or a template is
 * invalid.
 */
export function createServer<
  const T extends Tools = Record<never, never>,
  const P extends Prompts = Record<never, never>,
  const R extends KnownKeys = Record<never, never>,
  const M extends KnownKeys = Record<never, never>,
  S = unknown,
  const N extends readonly Mount[] = readonly [],
>(
  definition: ServerDefinition<T, P, R, M, S> & MountOption<N, NoInfer<T>>,
): Server<WithMountedTools<T, N>, WithMountedPrompts<P, N>, WithMountedResources<R, N>> {
  // The state `S` is both a parameter and a result of handlers, so no server type is a supertype of all others. `S`
  // does not exist at run time.
  const own = definition as unknown as ServerDefinition<Tools, Prompts, Resources>;
  const compose = definition?.mounts?.[0]?.compose as ComposeServer | undefined;
  const create = createServerWithBackend<WithMountedTools<T, N>, WithMountedPrompts<P, N>, WithMountedResources<R, N>>;
  return compose?.(own, localBackend, create) ?? create(own, localBackend);
}

/** Creates a server whose method handlers use `backend`. */
export function createServerWithBackend<T = Tools, P = Prompts, R = KnownKeys>(
  definition: ServerDefinition<Tools, Prompts, Resources>,
  backend: ServerBackend,
): Server<T, P, R> {
  const runtime = createServerRuntime(definition, backend);
  return {
    tools: runtime.tools,
    prompts: runtime.prompts,
    [MOUNTABLE]: runtime,
    resources: runtime.resources,
    notifyResourceUpdated: uri => runtime.subscriptions.notifyResourceUpdated(uri),
    completeElicitation: elicitationId => runtime.pendingElicitations.completeAnywhere(elicitationId),
    close() {
      for (const closeListener of [...runtime.closeListeners]) closeListener();
      for (const extension of runtime.extensionHooks) extension.close?.();
    },
    ...createRequestHandler(runtime, classifyRequest),
    ...(runtime.sharedStores ? { sharedStores: runtime.sharedStores } : {}),
    forwardRetries: load =>
      // Another process passes on a retry whose handler waits in this one.
      runtime.forwardRetries(load, (request, io) => {
        const route = classifyRequest(request, runtime.servedDialects);
        if (route.opening === 'per-request') return respondToStatelessRequest(runtime, request, route, io);
        return createFailure(request.id, { code: INVALID_REQUEST, message: 'Invalid request' });
      }),
    withoutSessions: () =>
      createRequestHandler(
        { ...runtime, servedDialects: runtime.servedDialects.map(withoutSession) },
        classifyWithoutSession,
      ),
  };
}

/** Creates the handler of requests. `classify` determines the protocol version of a request. */
function createRequestHandler(runtime: ServerRuntime, classify: typeof classifyRequest) {
  const { stores } = runtime;
  const checkStores = async (): Promise<void> => {
    await stores.values.get(HEALTH_KEY);
    await stores.check?.();
  };
  return {
    info: runtime.info,
    ...(stores.durable ? { checkStores, getUnknownFormats: stores.getUnknownFormats } : {}),
    async createCurlLine(url: string): Promise<string> {
      const { createCurlLine } = await import('../protocol/negotiation/curl-line.js');
      return createCurlLine(url, runtime.servedDialects);
    },
    async connect(transport: Transport, options?: ConnectOptions): Promise<SessionHandle> {
      requireConnectArguments(transport, options);
      const session = new Session(runtime, transport, options);
      await session.open();
      return session;
    },
    ...createStatelessHandler(runtime, classify),
  };
}
