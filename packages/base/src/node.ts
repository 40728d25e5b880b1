/**
 * Files of programs that run at the same time: folders, locks, private files, replacement in one step, and processes that run.
 *
 * @module @tenon/base/node
 */
export { createFolder } from './runtimes/node/files/create-folder.js';
export { withLock } from './runtimes/node/files/file-lock.js';
export { isInside } from './runtimes/node/files/is-inside.js';
export { makePrivate, requirePrivate } from './runtimes/node/files/private-file.js';
export { decodeText, readTextFile } from './runtimes/node/files/read-text-file.js';
export { ensurePathInFolder, ensureRealPath, replaceFile, syncFolder } from './runtimes/node/files/replace-file.js';
export { getHomeFolder, getXdgFolder } from './runtimes/node/home-folder.js';
export { isProcessRunning } from './runtimes/node/is-process-running.js';
