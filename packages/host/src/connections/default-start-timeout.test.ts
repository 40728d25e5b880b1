import { expect, it } from 'vitest';
import { getDefaultStartTimeout } from './default-start-timeout.js';

it.each(['npx', '/usr/local/bin/uvx', 'C:\\Program Files\\nodejs\\npx.cmd', 'docker', 'podman'])(
  'gives %s more time, because it may download first',
  command => expect(getDefaultStartTimeout({ command })).toBe(180_000),
);

it('gives other servers 30 seconds', () => {
  for (const server of [{ command: 'node' }, { command: 'my-npx-server' }, { url: 'https://npx/mcp' }])
    expect(getDefaultStartTimeout(server)).toBe(30_000);
});
