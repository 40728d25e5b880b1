import { isObject, TenonError } from '@tenon/base';
import type { CallerInfo, ClientHandlers, ClientOptions } from 'tenon';
import {
  createCapabilities,
  handleServerRequest,
  type RequestForwarder,
  type ServerRequestInfo,
} from 'tenon/host-internals';
import { createFailedResponse } from './handler-errors.js';
import { SERVER_NAMES_EXTENSION } from './proxy/hop-by-hop.js';
import { ASKING_SERVER } from './security/guard/input-request-guard.js';

/** Creates the client identity of the application itself. */
export function createOwnIdentity(
  handlers: ClientHandlers,
  onError: (error: TenonError) => void = () => {},
): ClientHandlers & Pick<ClientOptions, 'extensions'> {
  const answers = createOwnAnswers(handlers);
  const { extensions: _, ...capabilities } = createCapabilities(answers);
  const forward: RequestForwarder['forward'] = async (method, params, info) => {
    try {
      return await handleServerRequest(method, params, answers, info);
    } catch (error) {
      if (!TenonError.is(error) || error.rpcCode === undefined)
        onError(TenonError.from(error, 'handler/threw', { method }));
      return createFailedResponse(method, error);
    }
  };
  return { ...answers, forwarder: { capabilities, forward }, extensions: [{ id: SERVER_NAMES_EXTENSION }] };
}

/** Creates the caller info of the application itself. */
export function createOwnCaller(answers: ClientHandlers): CallerInfo {
  return { client: undefined, capabilities: createCapabilities(createOwnIdentity(answers)), auth: undefined };
}

/** Creates the handlers of the application. They receive the name of the requesting server in the host. */
function createOwnAnswers({ elicit, elicitUrl, sample, sampleTools, roots }: ClientHandlers): ClientHandlers {
  return {
    ...(elicit ? { elicit: (form, info) => elicit(form, withServerName(form, info)) } : {}),
    ...(elicitUrl ? { elicitUrl: (params, info) => elicitUrl(params, withServerName(params, info)) } : {}),
    ...(sample ? { sample: (request, info) => sample(request, withServerName(request, info)) } : {}),
    ...(sampleTools === undefined ? {} : { sampleTools }),
    ...(roots ? { roots } : {}),
  };
}

function withServerName(params: object, info: ServerRequestInfo): ServerRequestInfo {
  const _meta = '_meta' in params ? params._meta : undefined;
  const server = isObject(_meta) ? _meta[ASKING_SERVER] : undefined;
  return typeof server === 'string' ? { ...info, server } : info;
}
