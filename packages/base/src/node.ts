/**
 * Files of programs that run at the same time: locks, private files, and replacement in one step.
 *
 * @module @tenon/base/node
 */
export { withLock } from './runtimes/node/files/file-lock.js';
export { isInside } from './runtimes/node/files/is-inside.js';
export { makePrivate, requirePrivate } from './runtimes/node/files/private-file.js';
export { ensurePathInFolder, ensureRealPath, replaceFile, syncFolder } from './runtimes/node/files/replace-file.js';
