import { catchMaybe, type JsonObject, type MaybePromise, type TenonError, thenMaybe } from '@tenon/base';
import { readLoggingLevel } from 'tenon/host-internals';
import type { ClientSession, ProxyBackend, RequestContext } from 'tenon/proxy';
import type { ResolvedTool } from '../catalog/host-catalog.js';
import { getCarriedExtensions, startForExtensions } from './carried-extensions.js';
import { forwardExtensionMethod } from './extension-methods.js';
import type { GatewayContext } from './gateway-context.js';
import { collectInstructions } from './instructions.js';
import { listPage } from './list-page.js';
import { createListener } from './listen.js';
import { forwardCompletion, forwardPromptRequest, forwardResourceRead } from './read-requests.js';
import { SessionSubscriptions, subscribeToResource } from './sessions/session-subscriptions.js';
import { SharedRoots } from './sessions/shared-roots.js';
import { getSubscribeCapability } from './subscribe-capability.js';
import { callUpstreamTool, findObstacle, runUpstreamTool } from './tool-calls.js';

/** Creates the backend that offers all servers of a host. */
export function createProxyBackend(gateway: GatewayContext): ProxyBackend {
  const methodHandlers: ProxyBackend['methodHandlers'] = {
    'tools/call': call => callUpstreamTool(gateway, call),
    'tools/list': call => listPage(gateway, 'tools', call),
    'prompts/list': call => listPage(gateway, 'prompts', call),
    'resources/list': call => listPage(gateway, 'resources', call),
    'resources/templates/list': call => listPage(gateway, 'templates', call),
    'resources/read': call => forwardResourceRead(gateway, call),
    'prompts/get': call => forwardPromptRequest(gateway, call),
    'completion/complete': call => forwardCompletion(gateway, call),
    'resources/subscribe': ({ params, requestContext }) => subscribeToResource(gateway, params, requestContext),
    'logging/setLevel': ({ params, requestContext }) => setLevel(gateway, params, requestContext),
  };
  const roots = new SharedRoots(session => notifyRootsChanged(gateway, session));
  return {
    canShareSessions: true,
    methodHandlers,
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
    },
    getCapabilities: requester => ({
      ...getSubscribeCapability(gateway, requester),
      extensions: getCarriedExtensions(gateway, requester),
    }),
    runCustomMethod: request => forwardExtensionMethod(gateway, request),
    getOutputSchema: (name, requestContext) => findOutputSchema(gateway, name, requestContext),
    subscribe: (wishes, requestContext) => createListener(gateway, wishes, requestContext),
    async getInstructions(requester) {
      await startForExtensions(gateway, requester);
      return collectInstructions(gateway, requester);
    },
    runTool: call => runUpstreamTool(gateway, call),
    findObstacle: (name, _version, requestContext) => findObstacle(gateway, name, requestContext),
    resourceWatcher: new SessionSubscriptions(gateway),
    handleRootsChange: (session, onStateChange) => roots.announceChange(session, onStateChange),
    applySessionState: (session, state) => roots.applyState(session, state),
    close: () => gateway.close(),
  };
}

function findOutputSchema(
  gateway: GatewayContext,
  name: string,
  requestContext: RequestContext,
): MaybePromise<JsonObject | undefined> {
  const catalog = gateway.getCatalog(gateway.getScope(requestContext));
  const resolving = catchMaybe<ResolvedTool<'tools'> | undefined>(
    () => catalog.resolveByName('tools', name),
    () => undefined,
  );
  return thenMaybe(resolving, route => route?.entry.outputSchema as JsonObject | undefined);
}

/** Sets the log level of a session, which applies to its connections. */
async function setLevel(
  gateway: GatewayContext,
  params: JsonObject,
  requestContext: RequestContext,
): Promise<JsonObject> {
  const level = readLoggingLevel(params.level);
  if (level === undefined) return {};
  requestContext.setLogLevel?.(level);
  if (requestContext.session) await gateway.setLogLevel(requestContext.session, level);
  return {};
}

function notifyRootsChanged(gateway: GatewayContext, session: ClientSession): void {
  for (const connection of gateway.getSessionConnections(session)) {
    void connection.openClient?.notifyRootsChanged().catch((error: TenonError) => gateway.guard.reportError(error));
  }
}
