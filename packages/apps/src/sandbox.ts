/** Entry for the server of the sandbox page, on any runtime. */
export { createSandboxResponse, type SandboxOptions, type SandboxResponse } from './sandbox/sandbox-page.js';
