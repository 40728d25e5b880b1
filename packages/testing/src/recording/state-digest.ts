import { checkObject, hashSha256, isObject, requireArgument } from '@tenon/base';
import type { JsonRpcMessage } from 'tenon';

/**
 * A JWT that is signed or encrypted, in compact form. Its signature or its tag has 16 bytes or more, so that its digest
 * tells nothing about it to a reader without the key.
 */
const SIGNED_STATE = /^eyJ[\w-]*\.[\w-]*\.(?:[\w-]*\.[\w-]*\.)?[\w-]{22,}$/;

/**
 * Returns the SHA-256 of the `requestState` of a message, as base64url. Two recordings that mask the value are joined by it.
 * `undefined`: the message has none, or it is not a signed JWT, whose value nobody could guess from a digest.
 */
export function digestRequestState(message: JsonRpcMessage): string | undefined {
  requireArgument('`message` of digestRequestState', message, checkObject());
  const { params, result }: { readonly [K in 'params' | 'result' | 'error']?: unknown } = message;
  for (const members of [params, result])
    if (isObject(members) && typeof members.requestState === 'string' && SIGNED_STATE.test(members.requestState))
      return hashSha256(members.requestState);
  return undefined;
}
