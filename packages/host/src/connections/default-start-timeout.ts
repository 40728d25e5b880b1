import type { HostServer } from '../host-options.js';
import { DEFAULT_HOST_OPTIONS } from '../host-options.js';

/** Programs that may have to download a package or an image before they start a server. */
const RUNNERS = /(?:^|[\\/])(?:npx|npm|pnpm|pnpx|yarn|bunx|bun|uvx|uv|pipx|dnx|docker|podman)(?:\.cmd|\.exe)?$/i;
const RUNNER_START_TIMEOUT = 180_000;

/** Returns the time that a server without a configured `startTimeout` may take to start, in milliseconds. */
export function getDefaultStartTimeout(server: HostServer): number {
  return 'command' in server && RUNNERS.test(server.command) ? RUNNER_START_TIMEOUT : DEFAULT_HOST_OPTIONS.startTimeout;
}
