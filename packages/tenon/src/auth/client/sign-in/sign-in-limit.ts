import { type Clock, redactUrl, TenonError } from '@tenon/base';

/** Limits on the sign-in pages that one server may open. */
export interface SignInLimits {
  /**
   * Maximum number of sign-in pages that one server may open within `window`, because a server can require another
   * scope with each response. The next one rejects with `auth/too-many-sign-ins`. 0 allows none.
   * @default 5
   */
  readonly maxSignIns?: number | undefined;
  /**
   * Period for `maxSignIns`, in milliseconds.
   * @default 600,000 (10 minutes)
   */
  readonly window?: number | undefined;
}

const DEFAULT_MAX_SIGN_INS = 5;
const DEFAULT_WINDOW = 600_000;

/** Counts the sign-in pages of each server. */
export interface SignInCounter {
  /**
   * Counts one page of the server.
   *
   * @throws TenonError `auth/too-many-sign-ins`
   */
  count(server: string): void;
}

export function createSignInCounter(
  { maxSignIns = DEFAULT_MAX_SIGN_INS, window = DEFAULT_WINDOW }: SignInLimits,
  clock: Clock,
): SignInCounter {
  const opened = new Map<string, readonly number[]>();
  return {
    count(server) {
      const now = clock.elapsed();
      const recent = (opened.get(server) ?? []).filter(time => now - time < window);
      if (recent.length >= maxSignIns) {
        const waitTime = window - (now - (recent[0] ?? now));
        throw new TenonError('auth/too-many-sign-ins', 'the server requested too many sign-ins', {
          peer: redactUrl(server),
          expected: `at most ${recent.length} sign-ins in ${window / 1_000} s`,
          hint: `try again in ${Math.ceil(waitTime / 1_000)} s, list all scopes in \`scope\`, or raise \`limits.maxSignIns\``,
        });
      }
      opened.set(server, [...recent, now]);
    },
  };
}
