import { createRoutedEndpoint, type IssuerEndpoint } from './endpoint.js';
import type { IssuerHttpRequest } from './http-exchange.js';
import { getSingle } from './http-exchange.js';
import { createOptionError, type IssuerBaseOptions, resolveIssuerOptions } from './options.js';
import { hashSecret } from './secrets.js';
import { redirectWithCode } from './token/issued-grants.js';
import { MACHINE_SUBJECT_PREFIX } from './token/token-endpoint.js';

export interface IssuerOptions extends IssuerBaseOptions {
  /** Names and passwords, as they are. For development and tests. */
  readonly users?: Readonly<Record<string, string>> | undefined;
  /**
   * Says who sits before the browser, by a cookie of yours or by what a proxy in front has put into a header; `undefined`
   * when it is not known. In place of `users`.
   */
  readonly signIn?:
    | ((request: { header(name: string): string | undefined }) => Promise<string | undefined> | string | undefined)
    | undefined;
}

/** Who is there when nobody is named. */
const DEVELOPER_SUBJECT = 'developer';

/** Throws `auth/issuer-options`. */
export function createIssuerEndpoint(options: IssuerOptions): IssuerEndpoint {
  const settings = resolveIssuerOptions(options);
  const { users, signIn } = options;
  if (users && signIn) throw createOptionError('users', 'either `users` or `signIn`', 'both');
  if (!users && !signIn && settings.secure)
    throw createOptionError('users', '`users` or `signIn`, beyond this machine', 'neither');
  return createRoutedEndpoint(settings, {
    password: users !== undefined,
    async completeConsent(request, wish) {
      const subject = users
        ? await authenticateByPassword(request, users)
        : signIn
          ? await signIn(request)
          : DEVELOPER_SUBJECT;
      if (typeof subject === 'string' && subject !== '' && !subject.startsWith(MACHINE_SUBJECT_PREFIX)) {
        return redirectWithCode(wish, { subject }, settings);
      }
      return { retryMessage: users ? 'The name or the password is wrong.' : 'You are not signed in here.' };
    },
  });
}

/** It takes as long for a name that there is not. */
async function authenticateByPassword(
  { form }: IssuerHttpRequest,
  users: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const [name = '', password = ''] = [getSingle(form, 'name'), getSingle(form, 'password')];
  const expected = Object.hasOwn(users, name) ? users[name] : undefined;
  const [givenHash, expectedHash] = await Promise.all([hashSecret(password), hashSecret(expected ?? '')]);
  return expected !== undefined && expected !== '' && givenHash === expectedHash ? name : undefined;
}
