import { createRequire } from 'node:module';
import { TenonError } from '@tenon/base';

/** Keychain of the system, or another safe place for one short secret. */
export interface Keychain {
  /** Returns the secret of an account. Resolves with `undefined` if there is none. Rejects if the keychain is locked. */
  get(account: string): string | undefined | Promise<string | undefined>;
  /** Stores the secret of an account. */
  set(account: string, secret: string): void | Promise<void>;
}

/** The members of `@napi-rs/keyring` that are used. */
interface Keyring {
  /** Its methods do not block the process while the system asks the user to unlock the keychain. */
  readonly AsyncEntry: new (
    service: string,
    account: string,
    options: { readonly linux: { readonly store: 'secret-service' } },
  ) => { getPassword(): Promise<string | null>; setPassword(secret: string): Promise<void> };
}

/**
 * Creates the keychain of the system: Keychain of macOS, Credential Manager of Windows, Secret Service of Linux. Needs
 * the package `@napi-rs/keyring`, which is loaded on first use.
 */
export function createSystemKeychain(service: string): Keychain {
  const open = (account: string) => {
    let keyring: Keyring;
    try {
      // Loaded on first use. Both builds use `require`, because the library is a CommonJS module.
      keyring = createRequire(import.meta.filename)('@napi-rs/keyring') as Keyring;
    } catch (cause) {
      throw new TenonError('auth/no-keychain', 'the package @napi-rs/keyring is not installed', {
        hint: 'run `npm install @napi-rs/keyring`, or use fileTokenStore',
        cause,
      });
    }
    // By default the library falls back to the keyring of the Linux kernel, whose content ends with the session.
    return new keyring.AsyncEntry(service, account, { linux: { store: 'secret-service' } });
  };
  return {
    get: account => runInKeychain(async () => (await open(account).getPassword()) ?? undefined),
    set: (account, secret) => runInKeychain(() => open(account).setPassword(secret)),
  };
}

async function runInKeychain<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (TenonError.is(error)) throw error;
    throw new TenonError('auth/no-keychain', 'the keychain of the system is not available', {
      received: error instanceof Error ? error.message.slice(0, 200) : undefined,
      hint: 'check that the keychain is unlocked, and that a secret service such as gnome-keyring runs on Linux, or use fileTokenStore',
    });
  }
}
