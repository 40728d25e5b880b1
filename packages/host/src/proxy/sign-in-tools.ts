import { INTERNAL_ERROR, type JsonObject, type MaybePromise, rpcError, runWithTimeout, TenonError } from '@tenon/base';
import { type Context, type Tool, urlElicitationRequired } from 'tenon';
import { type Dialect, getSignInRequest, type SignInRequest } from 'tenon/host-internals';
import type { RequestContext } from 'tenon/proxy';
import type { ConnectionScope } from '../connections/connection-scope.js';
import type { UnavailableServer } from '../connections/upstream-registry.js';
import type { GatewayContext } from './gateway-context.js';
import type { ProxiedCall, ProxiedTool } from './proxied-tool.js';
import { createUnansweredError } from './unanswered-error.js';

/** Maximum time to wait for the sign-in when a call is repeated, in milliseconds. */
const SIGN_IN_WAIT = 300_000;
const SIGN_IN = 'sign_in';
const SIGN_OUT = 'sign_out';
const URL_REQUEST_KEY = /^visit-\d+$/;
const NO_ARGUMENTS = { type: 'object', additionalProperties: false } as const;

/** Lists the tools with which a caller signs in to servers that require it, or signs out. */
export function listSignInTools(
  gateway: GatewayContext,
  unavailable: readonly UnavailableServer[],
  { identity }: ConnectionScope,
): readonly Tool[] {
  const { callerSignIn, registry, ownNames } = gateway;
  if (callerSignIn === undefined) return [];
  const waiting = new Set(unavailable.filter(({ signIn }) => signIn).map(({ server }) => server));
  return registry.servers.flatMap(server => {
    if (waiting.has(server)) return [createSignInTool(server, ownNames.toPublic(server, SIGN_IN))];
    return callerSignIn.isSignedIn(server, identity)
      ? [createSignOutTool(server, ownNames.toPublic(server, SIGN_OUT))]
      : [];
  });
}

const createSignInTool = (server: string, name: string): Tool => ({
  name,
  description: `Signs the user in to ${server}. Its tools are listed after that.`,
  inputSchema: NO_ARGUMENTS,
});

const createSignOutTool = (server: string, name: string): Tool => ({
  name,
  description: `Signs the user out of ${server} and revokes the tokens. Call it only when the user asks for it.`,
  inputSchema: NO_ARGUMENTS,
});

/** Finds a tool, and requests a sign-in from its caller if the server of the tool requires one. */
export async function findOrSignIn(
  gateway: GatewayContext,
  name: string,
  requestContext: RequestContext,
  find: () => MaybePromise<ProxiedTool>,
): Promise<ProxiedTool> {
  try {
    const tool = await find();
    const run: ProxiedTool['run'] = (params, call) =>
      tool.run(params, call).catch(error => answerSignIn(error, gateway, call.requestContext));
    return { ...tool, run };
  } catch (error) {
    const own = getOwnTool(gateway, name, requestContext);
    if (own) return own;
    if (!getSignInRequest(error)) throw error;
    return createBackendTool(async (params, call) => {
      if (!(await waitForSignIn(error, gateway, call.context)))
        return answerSignIn(error, gateway, call.requestContext);
      const tool = await find();
      return tool.run(params, call);
    });
  }
}

const createBackendTool = (run: ProxiedTool['run']): ProxiedTool => ({ taskSupport: undefined, run });

/** Returns the host's own tool for sign-in or sign-out. A server's tool with the same name takes precedence. */
function getOwnTool(gateway: GatewayContext, name: string, requestContext: RequestContext): ProxiedTool | undefined {
  const { registry, ownNames } = gateway;
  const isOwn = (server: string, own: string) => ownNames.toPublic(server, own) === name;
  const server = registry.servers.find(each => isOwn(each, SIGN_IN) || isOwn(each, SIGN_OUT));
  const scope = gateway.getScope(requestContext);
  const { principal } = scope.identity;
  if (server === undefined || principal === undefined) return undefined;
  if (isOwn(server, SIGN_OUT)) return createBackendTool(() => signOut(gateway, server, scope));
  return createBackendTool((_, call) => signInTo(gateway, server, scope, call));
}

/** Asks for a sign-in whenever the next call would be refused. An open connection does not show that it would not. */
async function signInTo(
  gateway: GatewayContext,
  server: string,
  scope: ConnectionScope,
  { context, requestContext }: ProxiedCall,
): Promise<JsonObject> {
  const connection = gateway.registry.getConnection(server, scope);
  for (let hasWaited = false; ; hasWaited = true) {
    try {
      await connection.verify('tools/list');
      return createTextResult(`The user is signed in to ${server}. List the tools again.`);
    } catch (thrown) {
      const error = TenonError.from(thrown);
      if (!getSignInRequest(error)) throw createUnansweredError(error, server, 'tools/list', false);
      if (hasWaited || !(await waitForSignIn(error, gateway, context)))
        return answerSignIn(error, gateway, requestContext);
    }
  }
}

async function signOut(
  { callerSignIn, registry }: GatewayContext,
  server: string,
  scope: ConnectionScope,
): Promise<JsonObject> {
  const { identity } = scope;
  // Tokens of an earlier process become known when they are first used.
  if (!callerSignIn?.isSignedIn(server, identity)) {
    const connection = registry.getConnection(server, scope);
    const failure = await connection.getClient().then(
      () => undefined,
      error => error,
    );
    if (getSignInRequest(failure)) return createTextResult(`The user is not signed in to ${server}.`);
  }
  try {
    await callerSignIn?.signOut(server, identity);
    return createTextResult(`The user is signed out of ${server}.`);
  } catch {
    const text = `The tokens for ${server} are deleted here, but could not be revoked. They expire by themselves.`;
    return { ...createTextResult(text), isError: true };
  }
}

/**
 * Waits for a sign-in that the user has started. Resolves with false when none is pending, or when it takes too long.
 */
async function waitForSignIn(error: unknown, gateway: GatewayContext, { inputs, signal }: Context): Promise<boolean> {
  const request = getSignInRequest(error);
  const answers = Object.entries(inputs.inputResponses ?? {}).filter(([key]) => URL_REQUEST_KEY.test(key));
  if (!request || answers.length === 0) return false;
  if (answers.some(([, answer]) => (answer as { action?: unknown }).action !== 'accept')) return false;
  return runWithTimeout(() => request.ended.then(() => true), {
    clock: gateway.registry.clock,
    timeout: SIGN_IN_WAIT,
    signal,
    onTimeout: () => false,
    onAbort: () => true,
  });
}

/** Requests a sign-in with a URL elicitation, else with a result that the model shows to the user. */
function answerSignIn(error: unknown, gateway: GatewayContext, requestContext: RequestContext): JsonObject {
  const request = getSignInRequest(error);
  if (!request) throw error;
  if (canVisit(gateway.getScope(requestContext), requestContext.dialect)) throw createElicitation(request);
  return { ...createTextResult(describeSignIn(request)), isError: true };
}

/** Converts a required sign-in to the error of a request other than `tools/call`. Returns other errors unchanged. */
export function toSignInError(error: unknown, scope: ConnectionScope, dialect: Dialect): unknown {
  const request = getSignInRequest(error);
  if (!request) return error;
  if (canVisit(scope, dialect)) return createElicitation(request);
  return rpcError(INTERNAL_ERROR, describeSignIn(request), { server: request.server, url: request.url });
}

function canVisit({ input }: ConnectionScope, { inputRequests, errors }: Dialect): boolean {
  return input.url && (inputRequests === 'by-retry' || errors.urlElicitationRequired !== undefined);
}

function createElicitation({ server, url, elicitationId }: SignInRequest): TenonError {
  return urlElicitationRequired({ message: `Sign in to ${server} to go on.`, url, elicitationId });
}

function describeSignIn({ server, url }: SignInRequest): string {
  return `The server "${server}" needs the user to sign in. Open ${url} in a browser, sign in, and try again.`;
}

const createTextResult = (text: string): JsonObject => ({ content: [{ type: 'text', text }] });
