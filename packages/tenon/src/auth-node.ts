/**
 * Sign in on Node: token stores in a file and with the keychain of the system, a loopback redirect, and the user's
 * browser.
 *
 * @module tenon/auth/node
 */
export type { AuthFetch } from '@tenon/base';
export { fetchWithAddressCheck } from './runtimes/node/auth/address-checked-fetch.js';
export { openBrowser } from './runtimes/node/auth/browser.js';
export { type KeychainTokenStoreOptions, keychainTokenStore } from './runtimes/node/auth/keychain-token-store.js';
export { type LoopbackOptions, loopbackRedirect } from './runtimes/node/auth/loopback-redirect.js';
export type { Keychain } from './runtimes/node/auth/system-keychain.js';
export { type FileTokenStoreOptions, fileTokenStore } from './runtimes/node/auth/token-store-file.js';
