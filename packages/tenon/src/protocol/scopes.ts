import {
  type AuthInfo,
  checkArray,
  checkString,
  type ErrorObject,
  INSUFFICIENT_SCOPE,
  isObject,
  requireArgument,
  rpcError,
  TenonError,
} from '@tenon/base';

/**
 * A valid OAuth scope.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.3
 */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/** Throws `auth/scope` for an invalid scope. `subject` names its definition. */
export function checkScopes(subject: string, scopes: readonly string[] = []): void {
  const invalid = scopes.find(scope => typeof scope !== 'string' || !SCOPE.test(scope));
  if (invalid === undefined) return;
  const received = JSON.stringify(invalid)?.slice(0, 100);
  throw new TenonError('auth/scope', `invalid scope of ${subject}`, {
    expected: 'ASCII characters without spaces and quotes',
    received,
  });
}

/** Tells if a caller has all of these scopes. Without authorization a caller has none. */
export function hasScopes(auth: AuthInfo | undefined, scopes: readonly string[] = []): boolean {
  return scopes.every(scope => auth?.scopes?.includes(scope) === true);
}

/**
 * Creates the error for a caller without the necessary scopes, for handlers that decide by the arguments. Over HTTP the
 * client gets a 403 with a challenge, unless the response has begun.
 * @param scopes All scopes that the operation needs, including those that the caller has.
 */
export function insufficientScope(scopes: readonly string[]): TenonError {
  requireArgument('`scopes` of insufficientScope', scopes, checkArray(checkString), 'auth/scope');
  checkScopes('a handler', scopes);
  return rpcError(
    INSUFFICIENT_SCOPE,
    `Insufficient scope: the request requires ${scopes.join(' ')}. Sign in again with these scopes`,
    {
      scopes: [...scopes],
    },
  );
}

/** Returns the scopes that an error requires. Undefined if it requires none. */
export function getRequiredScopes({ code, data }: ErrorObject): readonly string[] | undefined {
  if (code !== INSUFFICIENT_SCOPE || !isObject(data) || !Array.isArray(data.scopes)) return undefined;
  return data.scopes.filter(scope => typeof scope === 'string' && SCOPE.test(scope));
}
