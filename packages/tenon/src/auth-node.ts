/** `tenon/auth/node`: what signing in needs of Node: files, a port to come back to, a browser. */
export type { AuthFetch } from './auth/guarded-fetch.js';
export { openBrowser } from './runtimes/node/browser.js';
export { checkedFetch } from './runtimes/node/checked-fetch.js';
export { type LoopbackOptions, loopbackRedirect } from './runtimes/node/loopback.js';
export { type FileVaultOptions, fileVault } from './runtimes/node/vault-file.js';
