import { rename, writeFile } from 'node:fs/promises';
import { type Client, connect } from 'tenon';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { waitForExit } from '../interop/process.js';
import { retryUntilPasses } from '../interop/retry.js';
import { isFull } from '../support/extent.js';
import { buildCommand, projectWith, type Serving, serving, shopEntry } from './command.js';

type Project = Awaited<ReturnType<typeof projectWith>>;
type Changes = Record<'added' | 'removed' | 'changed', string[]>;

const configuration = (servers: Readonly<Record<string, object>>) => ({ mcpServers: servers });
const isChange = ({ event, error }: Record<string, unknown>) => event === 'configuration' && error === undefined;

async function listNames(client: Client): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of client.listTools()) names.push(name);
  return names;
}

async function getPid(client: Client, server: string): Promise<number> {
  const { content } = await client.callTool(`${server}__process`);
  return Number((content[0] as { text: string }).text);
}

describe('a gateway whose files change', () => {
  let project: Project;
  let gateway: Serving;
  let client: Client;
  beforeAll(async () => {
    await buildCommand();
  });
  beforeEach(async () => {
    project = await projectWith({ corner: shopEntry(), market: shopEntry() });
    await project.write('policy.json', { rules: [{ action: 'allow' }] });
    const options = ['--trust', '--port', '0', '--json', '--policy', 'policy.json'];
    gateway = await serving(project.folder, ['gateway', ...options]);
    client = await connect(gateway.url);
  });
  afterEach(async () => {
    await client.close();
    expect(await gateway.end()).toBe(0);
    await project.remove();
  });

  it('adds, changes and removes servers, notifies clients, and keeps the processes of the other servers', async () => {
    let changes = 0;
    const watching = (async () => {
      for await (const _ of client.watch({ tools: true })) changes += 1;
    })().catch(() => {});
    const [corner, market] = [await getPid(client, 'corner'), await getPid(client, 'market')];
    await project.write('next.json', configuration({ harbour: shopEntry(), corner: shopEntry() }));
    await rename(project.path('next.json'), project.path('mcp.json'));
    expect(await gateway.waitForEvent<Changes>(isChange)).toMatchObject({
      added: ['harbour'],
      removed: ['market'],
      changed: [],
    });
    await waitForExit(market);
    await retryUntilPasses(async () =>
      expect(await listNames(client)).toEqual([
        'harbour__price',
        'harbour__process',
        'corner__price',
        'corner__process',
      ]),
    );
    expect(await getPid(client, 'corner')).toBe(corner);
    await retryUntilPasses(() => expect(changes).toBeGreaterThan(0));

    await project.write('mcp.json', configuration({ corner: { ...shopEntry(), env: { SHOP: 'other' } } }));
    expect(
      await gateway.waitForEvent<Changes>(line => isChange(line) && String(line.changed) === 'corner'),
    ).toMatchObject({
      removed: ['harbour'],
    });
    expect(await getPid(client, 'corner')).not.toBe(corner);
    await client.close();
    await watching;
  });

  it.runIf(isFull)('keeps its configuration while a file is invalid, and reports it', async () => {
    await writeFile(project.path('mcp.json'), '{ "mcpServers": { "corner": ');
    await retryUntilPasses(() =>
      expect(gateway.errors()).toMatch(/not reloaded, the gateway keeps running.*mcp\.json/),
    );
    expect(await gateway.waitForEvent(({ error }) => error !== undefined)).toMatchObject({
      event: 'configuration',
      level: 'error',
      error: { code: 'config/syntax' },
    });
    expect(await listNames(client)).toHaveLength(4);
    await project.write('policy.json', '{ "rules": [{ "action": "maybe" }] }');
    await retryUntilPasses(() => expect(gateway.errors()).toMatch(/policy\.json:1:\d+ .*invalid value/));
    expect(await gateway.waitForEvent(({ event, error }) => event === 'policy' && error !== undefined)).toMatchObject({
      file: 'policy.json',
    });
    expect(await client.callTool('corner__price', { of: 'tea' })).not.toHaveProperty('isError', true);
    // One invalid server does not stop the others, and keeps running as it was.
    await project.write('mcp.json', configuration({ corner: { args: ['no-command'] }, market: shopEntry() }));
    await gateway.waitForEvent(isChange);
    expect(await listNames(client)).toHaveLength(4);
  });

  it('applies another policy, and reads its files again on SIGHUP', async () => {
    await project.write('policy.json', { rules: [{ deny: 'corner/price', because: 'sold out' }, { action: 'allow' }] });
    expect(await gateway.waitForEvent(({ event }) => event === 'policy')).toMatchObject({
      file: 'policy.json',
      rules: 2,
    });
    expect(JSON.stringify(await client.callTool('corner__price', { of: 'tea' }))).toContain('sold out');
    // Nothing has changed, so only the signal makes it read the files.
    process.kill(gateway.pid, 'SIGHUP');
    expect(await gateway.waitForEvent(isChange)).toMatchObject({ added: [], removed: [], changed: [] });
  });
});
