import { checkFunction, checkOptional, checkRecord, checkString, requireArgument } from '@tenon/base';
import { type AuthEndpoint, type AuthHttpRequest, getParameter } from '@tenon/base/oauth';
import { createRoutedEndpoint } from './endpoint.js';
import { createOptionError, OPTIONS_CODE } from './option-error.js';
import type { IssuerBaseOptions } from './options.js';
import { resolveIssuerOptions } from './resolve-options.js';
import { hashSecret } from './secrets.js';
import { redirectWithCode } from './token/issued-grants.js';
import { MACHINE_SUBJECT_PREFIX } from './token/token-endpoint.js';

/** Options of `createIssuer`. */
export interface IssuerOptions extends IssuerBaseOptions {
  /**
   * Passwords in plain text, by user name. For development and tests only.
   * @default none, for loopback only: every consent then signs in the user `developer`
   */
  readonly users?: Readonly<Record<string, string>> | undefined;
  /**
   * Returns the user of a browser, for example from your own cookie or from a header that a proxy sets. Return
   * `undefined` when the user is unknown. It replaces `users`.
   * @default none
   */
  readonly signIn?:
    | ((request: { header(name: string): string | undefined }) => Promise<string | undefined> | string | undefined)
    | undefined;
}

/** Subject of all tokens without `users` and `signIn`. */
const DEVELOPER_SUBJECT = 'developer';

/**
 * Creates the endpoint of `createIssuer`.
 *
 * @throws TenonError `auth/issuer-options`
 */
export function createIssuerEndpoint(options: IssuerOptions): AuthEndpoint {
  const settings = resolveIssuerOptions(options);
  const { users, signIn } = options;
  requireArgument('`users` of createIssuer', users, checkOptional(checkRecord(checkString)), OPTIONS_CODE);
  requireArgument('`signIn` of createIssuer', signIn, checkOptional(checkFunction), OPTIONS_CODE);
  if (users && signIn) throw createOptionError('users', 'either `users` or `signIn`', 'both');
  if (!users && !signIn && settings.secure)
    throw createOptionError('users', '`users` or `signIn` for a URL that is not on loopback', 'neither');
  return createRoutedEndpoint(settings, {
    password: users !== undefined,
    async completeConsent(request, authRequest) {
      const subject = users
        ? await authenticateByPassword(request, users)
        : signIn
          ? await signIn(request)
          : DEVELOPER_SUBJECT;
      if (typeof subject === 'string' && subject !== '' && !subject.startsWith(MACHINE_SUBJECT_PREFIX)) {
        return redirectWithCode(authRequest, { subject }, settings);
      }
      return { retryMessage: users ? 'The name or the password is wrong.' : 'You are not signed in here.' };
    },
  });
}

/** Authenticates a user by name and password. The check takes the same time for an unknown name. */
async function authenticateByPassword(
  { form }: AuthHttpRequest,
  users: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const [name = '', password = ''] = [getParameter(form, 'name'), getParameter(form, 'password')];
  const expected = Object.hasOwn(users, name) ? users[name] : undefined;
  const [givenHash, expectedHash] = [hashSecret(password), hashSecret(expected ?? '')];
  return expected !== undefined && expected !== '' && givenHash === expectedHash ? name : undefined;
}
