import { INTERNAL_ERROR, isObject, type JsonObject, rpcError, TenonError, toPublicText } from '@tenon/base';

/** Key of `_meta` with the error of a handler of the host, in an input response of its own client. */
const HANDLER_ERROR = 'dev.tenon/handlerError';

/**
 * Creates the input response for a handler that has thrown. On versions whose servers request input in results, an input
 * response cannot be an error. Without a response, the request of the server would stay open.
 */
export function createFailedResponse(method: string, error: unknown): JsonObject {
  const isForServer = TenonError.is(error) && error.rpcCode !== undefined;
  const code = isForServer ? error.rpcCode : INTERNAL_ERROR;
  const message = isForServer ? toPublicText(error.summary) : `The handler for ${method} failed`;
  const _meta = { [HANDLER_ERROR]: { code, message } };
  switch (method) {
    case 'roots/list':
      return { roots: [], _meta };
    case 'sampling/createMessage':
      return { role: 'assistant', content: { type: 'text', text: '' }, model: '', _meta };
    default:
      return { action: 'cancel', _meta };
  }
}

/** Throws the error of a handler of the host, if an input response has one. */
export function throwHandlerError(response: unknown): void {
  const meta = isObject(response) && isObject(response._meta) ? response._meta[HANDLER_ERROR] : undefined;
  if (!isObject(meta) || typeof meta.message !== 'string') return;
  throw rpcError(typeof meta.code === 'number' ? meta.code : INTERNAL_ERROR, meta.message);
}
