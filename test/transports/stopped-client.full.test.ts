import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { createServer, protocolVersions, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundle } from '../support/bundle.js';

/** Longer than the timeout of the call, and than the lateness of a timer that shows that the process was stopped. */
const STOPPED = 6500;

let program: string;
const started: ChildProcess[] = [];
beforeAll(() => {
  program = bundle('test/transports/stopped-client.ts');
});
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

// Windows has no signal that stops a process.
it.runIf(process.platform !== 'win32').concurrent.each(protocolVersions)(
  'receives the response that arrived before the timeout while its process was stopped, on %s',
  async version => {
    let arrive = () => {};
    const arrived = new Promise<void>(resolve => {
      arrive = resolve;
    });
    let respond = (_: string) => {};
    const answered = new Promise<string>(resolve => {
      respond = resolve;
    });
    const wait = tool({
      run() {
        arrive();
        return answered;
      },
    });
    const server = await serveHttp(createServer({ name: 'waiting', version: '1', tools: { wait } }), { port: 0 });
    const child = spawn(process.execPath, [program, server.url, version], { stdio: ['ignore', 'pipe', 'inherit'] });
    started.push(child);
    const exited = once(child, 'exit');
    const output = text(child.stdout);
    await arrived;
    child.kill('SIGSTOP');
    respond('done');
    await setTimeout(STOPPED);
    child.kill('SIGCONT');
    expect(await output).toBe(`${version} [{"type":"text","text":"done"}]\n`);
    await exited;
    await server.close();
  },
);
