/** A JSON object. */
export interface JsonObject {
  [member: string]: unknown;
}

export type RequestId = string | number;

export interface RequestMessage {
  readonly kind: 'request';
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
}

export interface NotificationMessage {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonObject;
}

export interface ResponseMessage {
  readonly kind: 'response';
  readonly id: RequestId;
  readonly result: JsonObject;
}

export interface ErrorMessage {
  readonly kind: 'error';
  readonly id: RequestId | undefined;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type ChannelMessage = RequestMessage | NotificationMessage | ResponseMessage | ErrorMessage;

/** Reason why a received value is not a message, or the message. */
export type ParsedMessage =
  | { readonly message: ChannelMessage; readonly error?: undefined }
  | { readonly message?: undefined; readonly error: 'not-json-rpc' | 'too-large'; readonly id?: RequestId };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/**
 * Parses a value that another window sent. The returned message is a copy that contains JSON only, so that its sender cannot
 * change it later and no structured-clone type such as a `Map` reaches the receiver.
 * @param maxLength Maximum length of the message as JSON text, in characters.
 */
export function parseMessage(data: unknown, maxLength: number): ParsedMessage {
  if (!isObject(data) || data.jsonrpc !== '2.0') return { error: 'not-json-rpc' };
  let text: string;
  try {
    text = JSON.stringify(data);
  } catch {
    // A cycle, or a BigInt.
    return { error: 'not-json-rpc' };
  }
  const requestId = isRequestId(data.id) && typeof data.method === 'string' ? { id: data.id } : {};
  if (text.length > maxLength) return { error: 'too-large', ...requestId };
  const message = classifyMessage(JSON.parse(text));
  return message ? { message } : { error: 'not-json-rpc', ...requestId };
}

function classifyMessage(value: JsonObject): ChannelMessage | undefined {
  const { id, method, params = {}, result, error } = value;
  if (method !== undefined) {
    if (typeof method !== 'string' || !isObject(params) || result !== undefined || error !== undefined)
      return undefined;
    if (!('id' in value)) return { kind: 'notification', method, params };
    return isRequestId(id) ? { kind: 'request', id, method, params } : undefined;
  }
  if (isObject(result)) return isRequestId(id) && error === undefined ? { kind: 'response', id, result } : undefined;
  if (result !== undefined || !isObject(error)) return undefined;
  const { code, message, data } = error;
  const isForNobody = id === undefined || id === null;
  if (!Number.isInteger(code) || typeof message !== 'string' || !(isForNobody || isRequestId(id))) return undefined;
  return { kind: 'error', id: isForNobody ? undefined : id, error: { code: Number(code), message, data } };
}
