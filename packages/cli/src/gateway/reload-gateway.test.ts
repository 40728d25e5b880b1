import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchConfig } from '@tenon/host';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createGatewayHost } from '../host/create-host.js';
import { createStubContext, type UserInput } from '../host/fixtures/stub-context.js';
import { createInputMemory } from '../host/input-prompt.js';
import { readConfiguration } from '../host/read-configuration.js';
import { checkTrust } from '../host/server-trust.js';
import { watchGateway } from './reload-gateway.js';

let folder: string;
let close = async () => {};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-reload-'));
});
afterEach(async () => {
  await close();
  // A reload of the watcher may still write to the folder.
  await rm(folder, { recursive: true, maxRetries: 5 });
});

const write = (mcpServers: object, more: object = {}) =>
  writeFile(join(folder, 'mcp.json'), JSON.stringify({ ...more, mcpServers }));
/** Returns the last note of a change. The watcher may have read the file first, and then nothing changes afterwards. */
const getLastChange = (notes: readonly string[]) => notes.findLast(note => !note.endsWith('no server has changed'));
const program = (...args: string[]) => ({ command: process.execPath, args: ['-e', '', ...args] });

/** Starts a gateway whose servers the user has approved. Later questions get the input of `state`. */
async function startGateway(policy?: string) {
  const state: { input: UserInput } = { input: 'Yes' };
  const stub = createStubContext(folder, () => state.input);
  const { context } = stub;
  const inputs = createInputMemory(context);
  const configuration = await readConfiguration(context, [], { inputs });
  const { approved } = await checkTrust(context, configuration.entries, false);
  const gateway = await createGatewayHost(context, approved, {
    lock: false,
    ...(policy === undefined ? {} : { policy }),
  });
  const options = {
    gateway,
    configuration,
    readAt: Number.POSITIVE_INFINITY,
    entries: approved,
    trust: false,
    json: false,
    stdio: true,
    inputs,
    ...(policy === undefined ? {} : { policy }),
  };
  const watch = await watchGateway(context, options);
  close = async () => {
    watch.close();
    await gateway.close();
  };
  const getNames = () => gateway.host.getServers().map(({ name }) => name);
  return { ...stub, ...watch, state, getNames };
}

it('starts an added or changed server of a project only after an approval', async () => {
  await write({ notes: program() });
  const { reload, notes, requests, state, getNames } = await startGateway();
  state.input = undefined;
  await write({ notes: program(), search: program() });
  await reload();
  expect(getNames()).toEqual(['notes']);
  expect(notes.join('\n')).toContain('the server "search" was not approved yet, and is skipped');
  state.input = 'Yes';
  await reload();
  expect(requests.at(-1)).toContain('configures the server "search"');
  expect(getLastChange(notes)).toBe('server search: added');
  expect(getNames()).toEqual(['notes', 'search']);
  state.input = 'No';
  await write({ notes: program('--other'), search: program() });
  await reload();
  expect(requests.at(-1)).toContain('server "notes", which has changed since you approved it');
  expect(getLastChange(notes)).toBe('server notes: removed');
  expect(getNames()).toEqual(['search']);
});

it('asks for the value of an input once', async () => {
  const inputs = [{ type: 'promptString', id: 'key', description: 'API key' }];
  const server = { url: 'http://127.0.0.1:9/mcp', headers: { 'x-key': `\${input:key}` } };
  await write({ far: server }, { inputs });
  const { context } = createStubContext(folder, () => 'typed');
  let count = 0;
  const ask = createInputMemory({
    ...context,
    terminal: { ...context.terminal, askText: async () => `typed ${++count}` },
  });
  const first = await readConfiguration(context, [], { inputs: ask });
  const second = await readConfiguration(context, [], { inputs: ask });
  expect(second.entries[0]?.target).toEqual(first.entries[0]?.target);
  expect(count).toBe(1);
});

it('reads a policy that was saved and applied at once only once, and each later change', async () => {
  await write({ notes: program() });
  const save = (...rules: object[]) => writeFile(join(folder, 'policy.json'), JSON.stringify({ rules }));
  await save();
  const { reloadPolicy, notes } = await startGateway('policy.json');
  let watched = 0;
  const stop = await watchConfig(join(folder, 'policy.json'), () => (watched += 1));
  const listReloads = () => notes.filter(note => note.startsWith('policy.json: reloaded'));
  await save({ allow: 'notes/*' });
  await reloadPolicy?.();
  expect(listReloads()).toEqual(['policy.json: reloaded, 1 rules, 0 quotas']);
  // The gateway watches the file for longer, so that it has the event too.
  await expect.poll(() => watched).toBeGreaterThan(0);
  await save({ allow: 'notes/*' }, { deny: '*/x' });
  await expect
    .poll(listReloads)
    .toEqual(['policy.json: reloaded, 1 rules, 0 quotas', 'policy.json: reloaded, 2 rules, 0 quotas']);
  stop();
});
