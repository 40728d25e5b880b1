import type { ClientHandlers, ClientOptions, ServerRequestInfo } from '../client/options.js';
import { createCapabilities } from '../client/server-requests/request-handlers.js';
import { isObject } from '../jsonrpc/message.js';
import type { CallerInfo } from '../server/caller-info.js';
import { SERVER_NAMES_EXTENSION } from './proxy/hop-by-hop.js';
import { ASKING_SERVER } from './security/guard/question-guard.js';

/** What the client of the application itself is. */
export function createClientIdentity(answers: ClientHandlers): ClientHandlers & Pick<ClientOptions, 'extensions'> {
  return { ...createOwnAnswers(answers), extensions: [{ id: SERVER_NAMES_EXTENSION }] };
}

/** That client as the host sees it. */
export function createOwnCaller(answers: ClientHandlers): CallerInfo {
  return { client: undefined, capabilities: createCapabilities(createClientIdentity(answers)), auth: undefined };
}

/** What the application answers itself. It hears which of the servers asks, by its name in the host. */
function createOwnAnswers({ elicit, elicitUrl, sample, sampleTools, roots }: ClientHandlers): ClientHandlers {
  return {
    ...(elicit ? { elicit: (form, asked) => elicit(form, withServerName(form, asked)) } : {}),
    ...(elicitUrl ? { elicitUrl: (question, asked) => elicitUrl(question, withServerName(question, asked)) } : {}),
    ...(sample ? { sample: (request, asked) => sample(request, withServerName(request, asked)) } : {}),
    ...(sampleTools === undefined ? {} : { sampleTools }),
    ...(roots ? { roots } : {}),
  };
}

function withServerName(params: object, asked: ServerRequestInfo): ServerRequestInfo {
  const { _meta } = params as { _meta?: unknown };
  const server = isObject(_meta) ? _meta[ASKING_SERVER] : undefined;
  return typeof server === 'string' ? { ...asked, server } : asked;
}
