import { createEndpoint, type IssuerEndpoint } from './endpoint.js';
import type { Asked } from './exchange.js';
import { single } from './exchange.js';
import { answerWithCode } from './grants.js';
import { type FaceOptions, settingsOf, wrong } from './options.js';
import { hashed } from './secrets.js';
import { MACHINE } from './token.js';

export interface IssuerOptions extends FaceOptions {
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
const DEVELOPER = 'developer';

/** Throws `auth/issuer-options`. */
export function createIssuerEndpoint(options: IssuerOptions): IssuerEndpoint {
  const settings = settingsOf(options);
  const { users, signIn } = options;
  if (users && signIn) throw wrong('users', 'either `users` or `signIn`', 'both');
  if (!users && !signIn && settings.secure) throw wrong('users', '`users` or `signIn`, beyond this machine', 'neither');
  return createEndpoint(settings, {
    password: users !== undefined,
    async allowed(asked, wish) {
      const subject = users ? await byPassword(asked, users) : signIn ? await signIn(asked) : DEVELOPER;
      if (typeof subject === 'string' && subject !== '' && !subject.startsWith(MACHINE)) {
        return answerWithCode(wish, { subject }, settings);
      }
      return { again: users ? 'The name or the password is wrong.' : 'You are not signed in here.' };
    },
  });
}

/** It takes as long for a name that there is not. */
async function byPassword({ form }: Asked, users: Readonly<Record<string, string>>): Promise<string | undefined> {
  const [name = '', password = ''] = [single(form, 'name'), single(form, 'password')];
  const known = Object.hasOwn(users, name) ? users[name] : undefined;
  const [given, kept] = await Promise.all([hashed(password), hashed(known ?? '')]);
  return known !== undefined && known !== '' && given === kept ? name : undefined;
}
