import { getSignInRequest, type SignInRequest } from '../../auth/sign-in-required.js';
import type { Dialect } from '../../dialects/dialect.js';
import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { rpcError, type TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Tool } from '../../model/content.js';
import type { Context } from '../../server/context.js';
import type { FrontTool } from '../../server/front.js';
import type { Turn } from '../../server/turn.js';
import { urlRequired } from '../../server/url-first.js';
import type { Audience } from '../audience.js';
import type { Hub } from '../hub.js';
import type { Absent } from '../switchboard.js';
import { withinTime } from '../within-time.js';

/** How long a call that is made again waits for the user to sign in, in milliseconds. */
const SIGN_IN_WAIT = 300_000;
const SIGN_IN = 'sign_in';
const SIGN_OUT = 'sign_out';
const VISIT = /^visit-\d+$/;
const NO_ARGUMENTS = { type: 'object', additionalProperties: false } as const;

/** The tools by which a caller signs in to servers that wait for it, and out of the others. */
export function listSignInTools(hub: Hub, absent: readonly Absent[], { identity }: Audience): readonly Tool[] {
  const { callerSignIn, board, ownNames } = hub;
  if (callerSignIn === undefined) return [];
  const waiting = new Set(absent.filter(({ signIn }) => signIn).map(({ server }) => server));
  return board.servers.flatMap(server => {
    if (waiting.has(server)) return [createSignInTool(server, ownNames.outer(server, SIGN_IN))];
    return callerSignIn.isSignedIn(server, identity)
      ? [createSignOutTool(server, ownNames.outer(server, SIGN_OUT))]
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

/** Finds a tool, and asks its caller to sign in where the server of the tool needs that. */
export async function findSignedIn(
  hub: Hub,
  name: string,
  turn: Turn,
  find: () => Promise<FrontTool>,
): Promise<FrontTool> {
  if (hub.callerSignIn === undefined) return find();
  try {
    const tool = await find();
    const run: FrontTool['run'] = (...given) => tool.run(...given).catch(error => answerSignIn(error, hub, given[2]));
    return { ...tool, run };
  } catch (error) {
    const own = getOwnTool(hub, name, turn);
    if (own) return own;
    if (!getSignInRequest(error)) throw error;
    return createTool(async (params, context, now) => {
      if (!(await waitForSignIn(error, hub, context))) return answerSignIn(error, hub, now);
      const tool = await find();
      return tool.run(params, context, now);
    });
  }
}

const createTool = (run: FrontTool['run']): FrontTool => ({ mirrors: [], rules: undefined, run });

/** The tool that signs in to a server, or out of it. A tool of the server itself comes first. */
function getOwnTool(hub: Hub, name: string, turn: Turn): FrontTool | undefined {
  const { board, ownNames } = hub;
  const isOwn = (server: string, own: string) => ownNames.outer(server, own) === name;
  const server = board.servers.find(each => isOwn(each, SIGN_IN) || isOwn(each, SIGN_OUT));
  const audience = hub.audience(turn);
  const { principal } = audience.identity;
  if (server === undefined || principal === undefined) return undefined;
  if (isOwn(server, SIGN_OUT)) return createTool(() => signOut(hub, server, audience));
  return createTool(async (_, context, now) => {
    const line = hub.board.line(server, audience);
    try {
      await line.client();
    } catch (error) {
      if (!(await waitForSignIn(error, hub, context))) return answerSignIn(error, hub, now);
      await line.client().catch(again => answerSignIn(again, hub, now));
    }
    return createText(`The user is signed in to ${server}. List the tools again.`);
  });
}

async function signOut({ callerSignIn, board }: Hub, server: string, audience: Audience): Promise<JsonObject> {
  const { identity } = audience;
  // Tokens of an earlier process are known once they were used.
  if (!callerSignIn?.isSignedIn(server, identity)) {
    const problem = await board
      .line(server, audience)
      .client()
      .then(
        () => undefined,
        error => error,
      );
    if (getSignInRequest(problem)) return createText(`The user is not signed in to ${server}.`);
  }
  try {
    await callerSignIn?.signOut(server, identity);
    return createText(`The user is signed out of ${server}.`);
  } catch {
    const text = `The tokens for ${server} are deleted here, but could not be revoked. They expire by themselves.`;
    return { ...createText(text), isError: true };
  }
}

/** Waits for a sign-in that the client was asked for and has begun. False when it was not asked yet, or takes too long. */
async function waitForSignIn(error: unknown, hub: Hub, { inputs, signal }: Context): Promise<boolean> {
  const request = getSignInRequest(error);
  const answers = Object.entries(inputs.inputResponses ?? {}).filter(([key]) => VISIT.test(key));
  if (!request || answers.length === 0) return false;
  if (answers.some(([, answer]) => (answer as { action?: unknown }).action !== 'accept')) return false;
  const aborted = new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
  const ended = Promise.race([request.ended, aborted]).then(() => true);
  return (await withinTime(hub.board.clock, SIGN_IN_WAIT, ended)) ?? false;
}

/** Asks for a sign-in by a URL elicitation, else by a result that the model shows to the user. */
function answerSignIn(error: unknown, hub: Hub, turn: Turn): JsonObject {
  const request = getSignInRequest(error);
  if (!request) throw error;
  if (canVisit(hub.audience(turn), turn.dialect)) throw createElicitation(request);
  return { ...createText(describe(request)), isError: true };
}

/** The error of a request that is no call of a tool. Other errors are given back as they are. */
export function toSignInError(error: unknown, audience: Audience, dialect: Dialect): unknown {
  const request = getSignInRequest(error);
  if (!request) return error;
  if (canVisit(audience, dialect)) return createElicitation(request);
  return rpcError(INTERNAL_ERROR, describe(request), { server: request.server, url: request.url });
}

function canVisit({ asks }: Audience, { asking, errors }: Dialect): boolean {
  return asks.url && (asking === 'by-retry' || errors.urlElicitationRequired !== undefined);
}

function createElicitation({ server, url, elicitationId }: SignInRequest): TenonError {
  return urlRequired({ message: `Sign in to ${server} to go on.`, url, elicitationId });
}

function describe({ server, url }: SignInRequest): string {
  return `The server "${server}" needs the user to sign in. Open ${url} in a browser, sign in, and try again.`;
}

const createText = (text: string): JsonObject => ({ content: [{ type: 'text', text }] });
