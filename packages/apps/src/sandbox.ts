/**
 * Serve the sandbox page, on any runtime.
 *
 * @module @tenon/apps/sandbox
 */
export { createSandboxResponse, type SandboxOptions, type SandboxResponse } from './sandbox/sandbox-page.js';
