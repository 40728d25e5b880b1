import { isObject, type JsonObject, TenonError, toJsonObject } from '@tenon/base';
import { requireSendable } from '../jsonrpc/sendable-values.js';
import type { InputRequest } from '../protocol/input-requests.js';

/**
 * Methods of the input requests that a result may contain.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
const INPUT_METHODS: readonly InputRequest['method'][] = ['elicitation/create', 'sampling/createMessage', 'roots/list'];

/** Throws when a result contains an input request that the client does not support. Accepts any other result. */
export function checkInputRequests(result: JsonObject, check: (method: string, params: JsonObject) => void): void {
  if (result.resultType !== 'input_required' || !isObject(result.inputRequests)) return;
  for (const request of Object.values(result.inputRequests)) {
    if (!isObject(request)) continue;
    check(String(request.method), toJsonObject(request.params));
  }
}

/**
 * Checks the methods of the input requests in a result.
 * @throws TenonError `handler/output` when the protocol does not define a method, or JSON cannot represent the params.
 */
export function checkInputRequestMethods(subject: string, result: unknown): void {
  if (!isObject(result) || result.resultType !== 'input_required') return;
  const { inputRequests = {} } = result;
  if (!isObject(inputRequests)) throw createInvalidRequestError(subject, 'inputRequests', 'an object', inputRequests);
  for (const [key, request] of Object.entries(inputRequests)) {
    const { method } = toJsonObject(request);
    if (!(INPUT_METHODS as readonly unknown[]).includes(method))
      throw createInvalidRequestError(
        subject,
        `method of the input request "${key}"`,
        INPUT_METHODS.join(', '),
        method,
      );
    requireSendable(`${subject}: the input request "${key}"`, request, 'handler/output');
  }
}

function createInvalidRequestError(subject: string, subjectPart: string, expected: string, got: unknown): TenonError {
  return new TenonError('handler/output', `${subject}: invalid ${subjectPart}`, {
    expected,
    received: typeof got === 'string' ? `"${got.slice(0, 128)}"` : typeof got,
    hint: 'return the input requests with `inputRequired({ inputRequests })`',
  });
}
