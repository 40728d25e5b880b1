import { type JsonObject, TenonError } from '@tenon/base';
import { getDialect } from 'tenon/host-internals';
import type {
  ClientSession,
  ProxyCall,
  RequestContext,
  RequesterInfo,
  ResourceSession,
  ResourceWatcher,
} from 'tenon/proxy';
import type { ResolvedResource } from '../../catalog/host-catalog.js';
import { adviseAssuming } from '../../connections/undeclared-capabilities.js';
import type { UpstreamConnection } from '../../connections/upstream-connection.js';
import { createResourceRequest } from '../action-requests.js';
import type { GatewayContext } from '../gateway-context.js';
import { resolveUpstreamResource } from '../resolve-target.js';
import {
  createNotNotifiedError,
  forgetSubscription,
  subscribeOnce,
  waitForAcceptance,
  watchResource,
} from '../resource-watches.js';
import { canSubscribe } from '../subscribe-capability.js';
import { translateError } from '../translate-error.js';

const SUBSCRIBE = 'resources/subscribe';

/**
 * Time for which a watch continues until the one that takes over is at the server, in milliseconds. No change is missed
 * meanwhile.
 */
const HANDOVER = 5000;

/** Subscribes a session to a resource of a server. The caller receives the error of the server. */
export async function subscribeToResource(
  gateway: GatewayContext,
  { uri }: ProxyCall<'resources/subscribe'>['params'],
  requestContext: RequestContext,
): Promise<JsonObject> {
  const { connection, uri: inner } = await resolveAllowed(gateway, uri, requestContext);
  const actionRequest = createResourceRequest(connection, inner, requestContext.caller.auth);
  try {
    if (!(await canSubscribe(connection)))
      throw createNotNotifiedError(connection.server, uri, adviseAssuming('resources.subscribe'));
    const client = await connection.getClient();
    const hasSubscribe = getDialect(client.server.protocolVersion)?.subscriptions === 'by-subscribe';
    if (hasSubscribe) await subscribeOnce(connection, client, inner);
    else await listenOnce(gateway, connection, inner, uri);
    requestContext.subscriptions?.add(uri);
  } catch (thrown) {
    const { dialect } = requestContext;
    const failed = { connection, method: SUBSCRIBE, params: { uri: inner }, dialect };
    const error = await translateError(gateway.guard, thrown, failed);
    const { kind, name, server, principal } = actionRequest;
    await gateway.guard.recordDenied({ method: SUBSCRIBE, kind, name, server, principal, error });
    throw error;
  }
  return {};
}

/**
 * Checks that a server without `resources/subscribe` accepts the subscription. The watch of the session, which follows,
 * uses the stream that is open then.
 */
async function listenOnce(
  { guard, registry }: GatewayContext,
  connection: UpstreamConnection,
  inner: string,
  uri: string,
): Promise<void> {
  const watch = watchResource(
    connection,
    inner,
    () => {},
    error => guard.reportError(error),
  );
  try {
    await waitForAcceptance(watch, connection, uri);
    registry.clock.after(HANDOVER, watch.stop);
  } catch (error) {
    watch.stop();
    throw error;
  }
}

/** Finds a resource, and checks that the caller may read it. */
async function resolveAllowed(
  gateway: GatewayContext,
  uri: string,
  requester: RequesterInfo,
): Promise<ResolvedResource> {
  const place = await resolveUpstreamResource(gateway, uri, requester, SUBSCRIBE);
  const actionRequest = createResourceRequest(place.connection, place.uri, requester.caller.auth);
  await gateway.guard.authorizePassive(actionRequest, place.connection, SUBSCRIBE);
  return place;
}

/** Ends a watch. If another process takes over, `isHandedOver` is true. */
type EndWatch = (isHandedOver: boolean) => void;

async function unsubscribeAtServer(connection: UpstreamConnection, uri: string): Promise<void> {
  const client = await connection.getClient();
  forgetSubscription(client, uri);
  await client.call('resources/unsubscribe', { uri });
}

/** Watches resources of the servers for sessions, in protocol versions with `resources/subscribe`. */
export class SessionSubscriptions implements ResourceWatcher {
  readonly #gateway: GatewayContext;
  readonly #bySession = new WeakMap<ClientSession, Map<string, EndWatch>>();

  constructor(gateway: GatewayContext) {
    this.#gateway = gateway;
  }

  subscribe(session: ResourceSession, uri: string): void {
    const own = this.#bySession.get(session) ?? new Map<string, EndWatch>();
    this.#bySession.set(session, own);
    if (own.has(uri)) return;
    let isEnded = false;
    let end: EndWatch = () => {};
    own.set(uri, isHandedOver => {
      isEnded = true;
      end(isHandedOver);
    });
    this.#watch(session, uri).then(
      stop => {
        end = stop;
        if (isEnded) stop(true);
      },
      error => isEnded || this.#gateway.guard.reportError(TenonError.from(error)),
    );
  }

  unsubscribe(session: ResourceSession, uri: string, isHandedOver: boolean): void {
    const own = this.#bySession.get(session);
    const end = own?.get(uri);
    own?.delete(uri);
    if (end === undefined) return;
    if (isHandedOver && session.sharedId !== undefined) this.#gateway.registry.clock.after(HANDOVER, () => end(true));
    else end(isHandedOver);
  }

  async #watch(session: ResourceSession, uri: string): Promise<EndWatch> {
    const { caller, dialect } = session;
    if (dialect === undefined) return () => {};
    const { connection, uri: inner } = await resolveAllowed(this.#gateway, uri, { caller, dialect, session });
    const notify = () => session.notify('notifications/resources/updated', { uri });
    const report = (error: TenonError) => this.#gateway.guard.reportError(error);
    const { stop } = watchResource(connection, inner, notify, report);
    return isHandedOver => {
      stop();
      // Other processes use the subscription of a shared session, so the end of a watch does not end it.
      if (!isHandedOver && connection.sharedSession && connection.scope.session)
        void unsubscribeAtServer(connection, inner).catch(() => {});
    };
  }
}
