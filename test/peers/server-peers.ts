import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { HostServer } from '@tenon/host';
import { runtimes } from '../../scripts/runtimes.mjs';
import type { Listening } from '../interop/fixtures/listen.js';
import { startV1Sse, startV1Stateful, startV1Stateless } from '../interop/fixtures/sdk-v1-http.js';
import { startV2Handler, startV2Stateful } from '../interop/fixtures/sdk-v2-http.js';
import { bundleProgram } from '../interop/process.js';
import { type Feature, sdkFeatures, toolFeatures } from './features.js';

/** A server of other people, with the features that it has. */
export interface ServerPeer {
  readonly name: string;
  readonly features: readonly Feature[];
  start(): Promise<{ readonly server: HostServer; stop(): Promise<unknown> }>;
}

const folder = fileURLToPath(new URL('../..', import.meta.url));
const ECHO = JSON.stringify({ mode: 'sessions', tools: ['echo'], more: 0 });

const overHttp =
  (open: () => Promise<Listening>, path = '/mcp') =>
  async () => {
    const { origin, close } = await open();
    return { server: { url: origin + path }, stop: close };
  };

const overStdio =
  (args: readonly string[], command = process.execPath) =>
  async () => ({
    server: { command, args: [...args] },
    stop: async () => {},
  });

/** A program that prints the URL at which it listens. */
const ofProgram =
  (file: string, setup: string, command = process.execPath) =>
  async () => {
    const child = spawn(command, [`${folder}bench/peers/http/${file}`, setup], { stdio: ['ignore', 'pipe', 'ignore'] });
    const exited = once(child, 'exit');
    const [chunk] = (await Promise.race([once(child.stdout, 'data'), exited.then(() => [''])])) as unknown[];
    const url = /http:\S+/.exec(String(chunk))?.[0] ?? '';
    return {
      server: { url },
      stop: async () => {
        child.kill();
        await exited;
      },
    };
  };

/** Handshakes of these servers have no session, in which a server could ask. */
const withoutInputRequests = sdkFeatures.filter(({ name }) => name !== 'elicitation' && name !== 'sampling');
/** A server that answers with JSON sends nothing but the response. */
const responsesOnly = withoutInputRequests.filter(({ name }) => name !== 'progress' && name !== 'cancellation');
const stdioProgram = (name: string) => bundleProgram(new URL(`../interop/fixtures/${name}`, import.meta.url));

export const serverPeers: readonly ServerPeer[] = [
  { name: 'SDK v1 1.32.2, stdio', features: sdkFeatures, start: overStdio(stdioProgram('sdk-v1-stdio.ts')) },
  { name: 'SDK v1 1.32.2, HTTP with sessions', features: sdkFeatures, start: overHttp(startV1Stateful) },
  { name: 'SDK v1 1.32.2, HTTP without sessions', features: responsesOnly, start: overHttp(startV1Stateless) },
  { name: 'SDK v1 1.32.2, HTTP+SSE', features: sdkFeatures, start: overHttp(startV1Sse, '/sse') },
  { name: 'SDK v2 2.4.0, stdio', features: sdkFeatures, start: overStdio(stdioProgram('sdk-v2-stdio.ts')) },
  { name: 'SDK v2 2.4.0, HTTP of 2026-07-28', features: sdkFeatures, start: overHttp(startV2Handler) },
  { name: 'SDK v2 2.4.0, HTTP with sessions', features: sdkFeatures, start: overHttp(startV2Stateful) },
  { name: 'mcp-lite 0.10.0, HTTP with sessions', features: toolFeatures, start: ofProgram('mcp-lite.mjs', ECHO) },
  {
    name: 'mcp-lite 0.10.0, HTTP without sessions',
    features: toolFeatures,
    start: ofProgram('mcp-lite.mjs', ECHO.replace('sessions', 'stateless')),
  },
  { name: 'tmcp 1.20.0, HTTP', features: toolFeatures, start: ofProgram('tmcp.mjs', ECHO) },
  { name: 'tmcp 1.20.0, stdio', features: toolFeatures, start: overStdio([`${folder}bench/peers/stdio/tmcp.mjs`]) },
  {
    name: 'FastMCP 4.20.16, HTTP with sessions',
    features: toolFeatures,
    start: ofProgram('fastmcp.mjs', ECHO.replace('sessions', 'stateful'), runtimes.node24),
  },
  {
    name: 'FastMCP 4.20.16, stdio',
    features: toolFeatures,
    start: overStdio([`${folder}bench/peers/stdio/fastmcp.mjs`], runtimes.node24),
  },
];
