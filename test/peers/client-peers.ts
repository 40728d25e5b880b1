import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getPackageFolder, installBenchPackages } from '../../bench/packages.mjs';
import { runtimes } from '../../scripts/runtimes.mjs';
import { inspect } from '../host/inspector.js';
import type { ConnectedSdkClient } from '../interop/sdk-client.js';
import { connectSdkV1 } from '../interop/sdk-v1-client.js';
import { connectSdkV2 } from '../interop/sdk-v2-client.js';

/** Addresses of the notes server, or of the gateway to it. */
export interface Endpoints {
  readonly url: string;
  readonly sseUrl: string;
  /** Arguments of Node that start it on standard streams. */
  readonly args: readonly string[];
  /** A folder for files of the client. */
  readonly home: string;
}

/** A client of other people. It returns texts that the test looks for. */
export interface ClientPeer {
  readonly name: string;
  open(endpoints: Endpoints): Promise<OpenedPeer>;
}

/** Results as JSON texts. A client without a feature has no member for it. */
export interface OpenedPeer {
  listTools(): Promise<string>;
  callTool(name: string, args: Readonly<Record<string, string>>): Promise<string>;
  readResource?(uri: string): Promise<string>;
  getPrompt?(name: string, args: Readonly<Record<string, string>>): Promise<string>;
  /** Calls a tool that asks the user. */
  readonly callAsking?: ((name: string, args: Readonly<Record<string, string>>) => Promise<string>) | undefined;
  close(): Promise<unknown>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
// They are apart from the packages of the checkout, because only this test and the benchmarks use them.
await installBenchPackages();
const findProgram = (name: string, path: string): string => join(getPackageFolder(name), path);
const run = promisify(execFile);

async function ofSdk(connecting: Promise<ConnectedSdkClient>): Promise<OpenedPeer> {
  const { client, call } = await connecting;
  const callTool = async (name: string, args: Readonly<Record<string, string>>) =>
    JSON.stringify(await call(name, args));
  return {
    listTools: async () => JSON.stringify(await client.listTools()),
    callTool,
    readResource: async uri => JSON.stringify(await client.readResource({ uri })),
    getPrompt: async (name, args) => JSON.stringify(await client.getPrompt({ name, arguments: args })),
    callAsking: callTool,
    close: () => client.close(),
  };
}

/** MCP Inspector on the command line. */
function ofInspector(target: readonly string[], home: string): OpenedPeer {
  const ask = async (method: string, ...more: string[]) =>
    JSON.stringify(await inspect(runtimes.node24, home, target, method, ...more));
  const toArgs = (flag: string, args: Readonly<Record<string, string>>) =>
    Object.entries(args).flatMap(([name, value]) => [flag, `${name}=${value}`]);
  return {
    listTools: () => ask('tools/list'),
    callTool: (name, args) => ask('tools/call', '--tool-name', name, ...toArgs('--tool-arg', args)),
    readResource: uri => ask('resources/read', '--uri', uri),
    getPrompt: (name, args) => ask('prompts/get', '--prompt-name', name, ...toArgs('--prompt-args', args)),
    close: async () => {},
  };
}

/** mcporter on the command line. */
function ofMcporter(target: readonly string[], home: string): OpenedPeer {
  const program = findProgram('mcporter', 'dist/cli.js');
  const start = async (...args: string[]) => {
    const { stdout } = await run(runtimes.node24, [program, ...args], {
      cwd: home,
      env: { ...process.env, HOME: home },
    });
    return stdout;
  };
  return {
    listTools: () => start('list', ...target, '--schema', '--json'),
    callTool: (name, args) =>
      start('call', '--server', 'notes', ...target, '--tool', name, '--args', JSON.stringify(args), '--output', 'json'),
    close: async () => {},
  };
}

/** A program that makes a server over HTTP one on standard streams, with the client of SDK v1 in front. */
const ofBridge = (program: string, ...args: string[]) => ofSdk(connectSdkV1({ args: [program, ...args] }));

export const clientPeers: readonly ClientPeer[] = [
  { name: 'SDK v1 1.32.2, Streamable HTTP', open: ({ url }) => ofSdk(connectSdkV1({ url })) },
  { name: 'SDK v1 1.32.2, HTTP+SSE', open: ({ sseUrl }) => ofSdk(connectSdkV1({ sseUrl })) },
  { name: 'SDK v1 1.32.2, stdio', open: ({ args }) => ofSdk(connectSdkV1({ args })) },
  { name: 'SDK v2 2.4.0, Streamable HTTP', open: ({ url }) => ofSdk(connectSdkV2({ url })) },
  {
    name: 'SDK v2 2.4.0, 2026-07-28',
    open: ({ url }) => ofSdk(connectSdkV2({ url }, { versionNegotiation: { mode: 'auto' } })),
  },
  { name: 'SDK v2 2.4.0, stdio', open: ({ args }) => ofSdk(connectSdkV2({ args })) },
  {
    name: 'mcp-remote 0.15.1',
    open: ({ url }) => ofBridge(findProgram('mcp-remote', 'dist/proxy.js'), url, '--allow-http'),
  },
  {
    name: 'supergateway 4.0.0',
    // It does not pass on the capabilities of the client in front of it.
    async open({ url }) {
      const bridge = ofBridge(
        findProgram('supergateway', 'dist/index.js'),
        '--streamableHttp',
        url,
        '--logLevel',
        'none',
      );
      return { ...(await bridge), callAsking: undefined };
    },
  },
  { name: 'MCP Inspector 2.12.0, HTTP', open: async ({ url, home }) => ofInspector([url], home) },
  {
    name: 'MCP Inspector 2.12.0, stdio',
    open: async ({ args, home }) => ofInspector([process.execPath, ...args], home),
  },
  {
    name: 'mcporter 0.12.3, HTTP',
    open: async ({ url, home }) => ofMcporter(['--http-url', url, '--allow-http', '--name', 'notes'], home),
  },
  {
    name: 'mcporter 0.12.3, stdio',
    open: async ({ args, home }) =>
      ofMcporter(
        ['--stdio', process.execPath, ...args.flatMap(arg => ['--stdio-arg', arg]), '--cwd', root, '--name', 'notes'],
        home,
      ),
  },
];
