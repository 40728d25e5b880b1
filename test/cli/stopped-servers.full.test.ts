/** The command gives the servers that it started time to save their state, however it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHost } from '@tenon/host';
import { connect } from 'tenon';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { retryUntilPasses } from '../interop/retry.js';
import { bundle } from '../support/bundle.js';
import { isFull, takePart } from '../support/extent.js';
import { buildCommand, commandLine, serving, shopEntry } from './command.js';

const SERVER = fileURLToPath(new URL('./fixtures/saving-server.mjs', import.meta.url));

beforeAll(async () => {
  await buildCommand();
});

let folder: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-stop-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await rm(folder, { recursive: true, maxRetries: 10 });
});

const savingServer = (...options: string[]) => ({
  command: process.execPath,
  args: [SERVER, join(folder, 'events'), ...options],
});
const readEvents = async () => (await readFile(join(folder, 'events'), 'utf8').catch(() => '')).trim().split('\n');
const waitFor = (event: string) => retryUntilPasses(async () => expect(await readEvents()).toContain(event));
const toCommand = ({ command, args }: ReturnType<typeof savingServer>) => [command, ...args];

function start(args: readonly string[], program = commandLine(folder).args) {
  const { command, cwd, env } = commandLine(folder);
  const child = spawn(command, [...program, ...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  children.push(child);
  child.stderr.resume();
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { child, stdin: child.stdin, stdout: child.stdout, ended };
}

/** Sends the first messages of a client that has roots, and waits for the tools of the server behind the command. */
async function listWithRoots({ stdin, stdout }: ReturnType<typeof start>): Promise<void> {
  const send = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let output = '';
  stdout.on('data', text => {
    output += text;
  });
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { roots: {}, sampling: {}, elicitation: {} },
    clientInfo: { name: 'client', version: '1' },
  };
  send({ id: 1, method: 'initialize', params });
  await retryUntilPasses(() => expect(output).toContain('"id":1'));
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list' });
  await retryUntilPasses(() => expect(output).toContain('greet'));
}

const savedAfterInput = ['server: started', 'server: end of input', 'server: saved'];

describe('a server behind `tenon gateway --stdio`', () => {
  beforeEach(async () => {
    await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { saving: savingServer() } }));
  });

  it.each(takePart(['SIGTERM', 'end of input', 'SIGINT'] as const, 0, 3))(
    'saves its state at %s, although its session ends before the gateway [lifecycle.shutdown.stdio-close-stdin lifecycle.shutdown.stdio-sigterm]',
    async ending => {
      const gateway = start(['gateway', '--stdio', '--trust']);
      await listWithRoots(gateway);
      if (ending === 'end of input') gateway.stdin.end();
      else gateway.child.kill(ending);
      expect(await gateway.ended).toBe(0);
      expect(await readEvents()).toEqual(savedAfterInput);
    },
  );

  it.runIf(isFull)('stops together with its helper processes, which get SIGTERM', async () => {
    await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { saving: savingServer('helper') } }));
    const gateway = start(['gateway', '--stdio', '--trust']);
    await listWithRoots(gateway);
    await waitFor('helper: started');
    gateway.stdin.end();
    await gateway.ended;
    expect(await readEvents()).toEqual(
      expect.arrayContaining([...savedAfterInput, 'helper: SIGTERM', 'helper: saved']),
    );
  });
});

it.each(takePart(['gateway', 'bridge'] as const, 0, 2))(
  'saves its state when the session of a client and `tenon %s` end at the same time',
  async name => {
    await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { saving: savingServer() } }));
    const args = name === 'gateway' ? ['--trust'] : ['--', ...toCommand(savingServer())];
    const command = await serving(folder, [name, '--port', '0', '--json', ...args]);
    const client = await connect(command.url, {
      protocolVersion: '2025-11-25',
      elicit: () => ({ action: 'cancel' }),
    });
    for await (const _ of client.listTools()) break;
    await client.close();
    expect(await command.end()).toBe(0);
    expect(await readEvents()).toEqual(expect.arrayContaining(['server: end of input', 'server: saved']));
    const events = await readEvents();
    expect(events.filter(event => event.endsWith('saved'))).toHaveLength(
      events.filter(event => event.endsWith('started')).length,
    );
  },
);

describe('a server that a command starts', () => {
  it.each(
    takePart(
      [
        ['SIGINT', 130],
        ['SIGTERM', 143],
      ] as const,
      0,
      2,
    ),
  )('saves its state when `tenon call` gets %s', async (signal, code) => {
    const call = start(['call', 'wait', '--', ...toCommand(savingServer())]);
    await waitFor('server: called');
    call.child.kill(signal);
    expect(await call.ended).toBe(code);
    expect(await readEvents()).toEqual(['server: started', 'server: called', 'server: end of input', 'server: saved']);
  });

  it.each(
    takePart(
      [
        ['list', '--'],
        ['doctor', '--'],
        ['record', '--output', 'calls.ndjson', '--'],
      ],
      1,
      3,
    ),
  )('saves its state when `tenon %s` gets SIGTERM before the server has responded', async (...args) => {
    const command = start([...args, ...toCommand(savingServer('slow'))]);
    if (args[0] === 'record') command.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await waitFor('server: started');
    command.child.kill('SIGTERM');
    await command.ended;
    const events = await readEvents();
    expect(events.filter(event => event.endsWith('saved'))).toHaveLength(
      events.filter(event => event.endsWith('started')).length,
    );
  });

  it.runIf(isFull)('saves its state when `tenon lock` gets SIGTERM', async () => {
    const mcpServers = { corner: shopEntry(), saving: savingServer('slow') };
    await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }));
    const lock = start(['lock', '--trust']);
    await waitFor('server: started');
    lock.child.kill('SIGTERM');
    expect(await lock.ended).toBe(143);
    expect(await readEvents()).toEqual(savedAfterInput);
  });
});

describe('a server of a host', () => {
  it('saves its state before `close` resolves, after its session has ended', async () => {
    const host = await createHost({ servers: { saving: savingServer() } });
    const client = await connect(host.toServer(), {
      protocolVersion: '2025-11-25',
      roots: [{ uri: 'file:///home' }],
    });
    for await (const _ of client.listTools()) break;
    await client.close();
    await Promise.all([host.close(), host.close()]);
    expect(await readEvents()).toEqual(savedAfterInput);
  });

  it.runIf(isFull)('saves its state when another connection replaces its own, before `close` resolves', async () => {
    const servers = { saving: savingServer('slow-first') };
    const host = await createHost({ servers, maxConnectionsPerServer: 1, maxShare: 1 });
    for (const _ of ['first', 'second']) {
      const client = await connect(host.toServer(), {
        protocolVersion: '2025-11-25',
        roots: [{ uri: 'file:///home' }],
      });
      for await (const _ of client.listTools()) break;
    }
    await host.close();
    expect((await readEvents()).filter(event => event === 'server: saved')).toHaveLength(2);
  });

  it('saves its state when the host is closed during the start of the server', async () => {
    const host = await createHost({ servers: { saving: savingServer('slow') } });
    const connecting = host.connectServer('saving');
    await waitFor('server: started');
    await host.close();
    await connecting;
    expect(await readEvents()).toEqual(savedAfterInput);
  });

  it('saves its state when the program of the host ends with `serveStdio`', async () => {
    const program = bundle('test/cli/fixtures/hosting-server.ts');
    const server = start(toCommand(savingServer()), [program]);
    await listWithRoots(server);
    server.stdin.end();
    await server.ended;
    expect(await readEvents()).toEqual(savedAfterInput);
  });
});
