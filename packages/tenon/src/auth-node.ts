/**
 * Sign in on Node: a token store in a file, a loopback redirect, and the user's browser.
 *
 * @module tenon/auth/node
 */
export type { AuthFetch } from './auth/http/guarded-fetch.js';
export { fetchWithAddressCheck } from './runtimes/node/auth/address-checked-fetch.js';
export { openBrowser } from './runtimes/node/auth/browser.js';
export { type LoopbackOptions, loopbackRedirect } from './runtimes/node/auth/loopback-redirect.js';
export { type FileTokenStoreOptions, fileTokenStore } from './runtimes/node/auth/token-store-file.js';
