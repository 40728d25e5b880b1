import type { ClientHandlers, ClientOptions, ServerRequestInfo } from '../client/options.js';
import { createCapabilities } from '../client/server-requests/request-handlers.js';
import { isObject } from '../jsonrpc/message.js';
import type { CallerInfo } from '../server/caller-info.js';
import { SERVER_NAMES_EXTENSION } from './proxy/hop-by-hop.js';
import { ASKING_SERVER } from './security/guard/question-guard.js';

/** Creates the client identity of the application itself. */
export function createOwnIdentity(answers: ClientHandlers): ClientHandlers & Pick<ClientOptions, 'extensions'> {
  return { ...createOwnAnswers(answers), extensions: [{ id: SERVER_NAMES_EXTENSION }] };
}

/** Creates the caller info of the application itself. */
export function createOwnCaller(answers: ClientHandlers): CallerInfo {
  return { client: undefined, capabilities: createCapabilities(createOwnIdentity(answers)), auth: undefined };
}

/** Creates the handlers of the application. They receive the name of the requesting server in the host. */
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
  const _meta = '_meta' in params ? params._meta : undefined;
  const server = isObject(_meta) ? _meta[ASKING_SERVER] : undefined;
  return typeof server === 'string' ? { ...asked, server } : asked;
}
