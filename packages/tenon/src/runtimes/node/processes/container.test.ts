import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStdioTransport } from '../../../transports/stdio/client.js';
import { nameContainer, spawnServer } from './spawn-server.js';

const CHILD = fileURLToPath(new URL('../../../transports/stdio/fixtures/child.mjs', import.meta.url));

let folder: string;
let log: string;
let docker: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'container-'));
  log = join(folder, 'log');
  docker = join(folder, 'docker');
  // It records its arguments. For `run`, it becomes the server in its last argument.
  await writeFile(
    docker,
    [
      '#!/bin/sh',
      `echo "$*" >> '${log}'`,
      'if [ "$1" != run ]; then exit 0; fi',
      'for last; do :; done',
      `exec '${process.execPath}' '${CHILD}' $last`,
    ].join('\n'),
  );
  await chmod(docker, 0o755);
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

const readLog = async () => (await readFile(log, 'utf8').catch(() => '')).trim().split('\n');

/** Starts a server by the program, waits until it is ready, and closes the connection. */
async function runServer(manner: string, exitTimeout: number): Promise<void> {
  let isReady = false;
  const transport = createStdioTransport(
    {
      command: docker,
      args: ['run', '--rm', manner],
      container: 'tenon-notes',
      exitTimeout,
      terminateTimeout: 300,
    },
    spawnServer,
  );
  await transport.open({
    onMessage: () => {
      isReady = true;
    },
    onParseError: () => {},
    onResponseLost: () => {},
    onClose: () => {},
  });
  await vi.waitFor(() => expect(isReady).toBe(true), 20_000);
  await transport.close();
}

describe.skipIf(process.platform === 'win32')('a server in a container', () => {
  it('has a name of its own each time, and is not removed when it ends itself', async () => {
    await runServer('environment', 50_000);
    await runServer('environment', 50_000);
    const [first, second, ...rest] = await readLog();
    expect(rest).toEqual([]);
    expect(first).toMatch(/^run --name tenon-notes-[0-9a-f]{8} --rm environment$/);
    expect(second).not.toBe(first);
  });

  it('is removed when its command has to be killed', async () => {
    await runServer('stubborn', 300);
    const [started = '', ...rest] = await readLog();
    const [name] = /tenon-notes-[0-9a-f]{8}/.exec(started) ?? [];
    expect(rest).toEqual([`rm --force ${name}`]);
  });
});

describe('nameContainer', () => {
  it('names only what `run` starts', () => {
    expect(nameContainer({ command: 'docker', args: ['exec', 'x'], container: 'a' })).toBeUndefined();
    expect(nameContainer({ command: 'docker', args: ['run', 'x'] })).toBeUndefined();
  });
});
