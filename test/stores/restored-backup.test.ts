import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApprovals } from '@tenon/host';
import { type FakeClock, fakeClock } from '@tenon/testing';
import { createServer, type Stores, tasks, tool } from 'tenon';
import { sharedTokenStore } from 'tenon/auth';
import { createHandler } from 'tenon/http';
import { sqliteStores } from 'tenon/sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { call } from '../../packages/host/src/security/policy/fixtures/call.js';
import { createQuotas } from '../../packages/host/src/security/policy/quotas.js';
import { openTestIssuer } from '../../packages/issuer/src/fixtures/visitor.js';
import { connectTaskClient, getTaskId } from '../../packages/tenon/src/extensions/tasks/fixtures/task-client.js';
import {
  beginCall,
  createGuardedServer,
  expectRefusal,
  KEY,
  send,
  sentCall,
} from '../input-requests/guarded-server.js';
import { getRetry, getText } from '../input-requests/wire.js';

const MINUTE = 60_000;
const OTHER_KEY = { id: 'b', key: new Uint8Array(32).fill(2) };

let clock: FakeClock;
let folder: string;
let current: Stores | undefined;

beforeEach(async () => {
  clock = fakeClock(Date.UTC(2026, 10, 1));
  folder = await mkdtemp(join(tmpdir(), 'tenon-backup-'));
});
afterEach(async () => {
  await current?.close();
  current = undefined;
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

function open(): Stores {
  current = sqliteStores(join(folder, 'state.db'), { clock });
  return current;
}

/** Files of the database. The log does not exist if it was merged into the file. */
const PARTS = ['state.db', 'state.db-wal'];
const ignoreMissing = () => undefined;

/** Copies the files of the store while no process writes. */
async function backUp(): Promise<void> {
  for (const part of PARTS) await copyFile(join(folder, part), join(folder, `${part}.bak`)).catch(ignoreMissing);
}

/** Puts the copy in place of the file, and opens it as the next process does. */
async function restore(): Promise<Stores> {
  await current?.close();
  for (const part of [...PARTS, 'state.db-shm']) await rm(join(folder, part), { force: true });
  for (const part of PARTS) await copyFile(join(folder, `${part}.bak`), join(folder, part)).catch(ignoreMissing);
  return open();
}

describe('a restored backup', () => {
  it('accepts a used request state again until its lifetime ends, and repeats the steps after it [request state]', async () => {
    const create = (stores: Stores, keys = [KEY]) =>
      createGuardedServer({ stores, clock, inputRequests: { keys } } as never);
    const before = create(open());
    const retry = await beginCall(before);
    await backUp();
    const second = getRetry(await send(before, sentCall, retry));
    expect(getText(await send(before, sentCall, second))).toBe('done');
    await expectRefusal(before, sentCall, second);
    before.server.close();

    const rotated = create(await restore(), [OTHER_KEY]);
    await expectRefusal(rotated, sentCall, retry);
    await expectRefusal(rotated, sentCall, second);
    rotated.server.close();

    const restored = create(await restore());
    const again = await send(restored, sentCall, second);
    expect(getText(again)).toBe('done');
    expect(restored.ran).toContain('step after');
    restored.server.close();

    const late = create(await restore());
    clock.advance(15 * MINUTE);
    await expectRefusal(late, sentCall, second);
    late.server.close();
  });

  it('grants a revoked approval again until it expires [remembered approval]', async () => {
    const before = createApprovals({ ...open(), clock, approve: () => ({ remember: 'exact' }) });
    expect(await before.request(call())).toMatchObject({ granted: true });
    await backUp();
    const [remembered] = await before.listStored();
    await before.forget(remembered?.id ?? '');
    expect(await before.listStored()).toEqual([]);

    const restored = createApprovals({ ...(await restore()), clock, approve: () => 'deny' });
    expect(await restored.request(call())).toMatchObject({ granted: true });
    await restored.forget(remembered?.id ?? '');
    expect(await restored.request(call())).toMatchObject({ granted: false });

    const late = createApprovals({ ...(await restore()), clock, approve: () => 'deny' });
    clock.advance(30 * 24 * 60 * MINUTE);
    expect(await late.request(call())).toMatchObject({ granted: false });
  });

  it('lists an answered approval as pending, and uses a second answer for the next equal call [pending approval]', async () => {
    const before = createApprovals({ ...open(), clock });
    const granted = before.request(call());
    const approval = await vi.waitFor(async () => {
      const [found] = await before.listPending();
      return found ?? Promise.reject(new Error('not yet'));
    });
    await backUp();
    await before.answer(approval.id, 'allow');
    expect(await granted).toMatchObject({ granted: true });
    expect(await before.listPending()).toEqual([]);

    const restored = createApprovals({ ...(await restore()), clock });
    expect((await restored.listPending()).map(({ id }) => id)).toEqual([approval.id]);
    await restored.answer(approval.id, 'allow');
    clock.advance(11_000);
    expect(await restored.request(call())).toMatchObject({ granted: true });

    const late = createApprovals({ ...(await restore()), clock });
    clock.advance(5 * MINUTE);
    expect(await late.listPending()).toEqual([]);
  });

  it('continues a finished task after its last stored step, and forgets later tasks [task]', async () => {
    const ran: string[] = [];
    let release = () => {};
    const released = new Promise<void>(resolve => {
      release = resolve;
    });
    const create = async (stores: Stores, waits: Promise<void>) => {
      const server = createServer({
        name: 'deployer',
        version: '1.0.0',
        onError: () => {},
        clock,
        stores,
        extensions: [tasks()],
        tools: {
          deploy: tool({
            task: 'required',
            async run(_, ctx) {
              await ctx.step('build', () => void ran.push('build'));
              await waits;
              await ctx.step('publish', () => void ran.push('publish'));
              return 'deployed';
            },
          }),
        },
      });
      return { server, client: await connectTaskClient(server as never) };
    };
    const before = await create(open(), released);
    const id = getTaskId(await before.client.call('tools/call', { name: 'deploy', arguments: {} }));
    const getStatus = async ({ client }: typeof before, taskId: string) => {
      const { result, error } = await client.call('tasks/get', { taskId });
      return result?.status ?? error?.code;
    };
    await vi.waitFor(() => expect(ran).toEqual(['build']));
    await vi.waitFor(async () => expect(await current?.values.list('task-log/')).not.toEqual([]));
    await backUp();
    release();
    await vi.waitFor(async () => expect(await getStatus(before, id)).toBe('completed'));
    const later = getTaskId(await before.client.call('tools/call', { name: 'deploy', arguments: {} }));
    await vi.waitFor(async () => expect(await getStatus(before, later)).toBe('completed'));
    expect(ran).toEqual(['build', 'publish', 'build', 'publish']);
    before.server.close();

    const restored = await create(await restore(), Promise.resolve());
    expect(await getStatus(restored, later)).toBe(-32602);
    await vi.waitFor(async () => {
      clock.advance(10_000);
      expect(await getStatus(restored, id)).toBe('completed');
    });
    expect(ran.slice(4)).toEqual(['publish']);
    restored.server.close();
  });

  it('admits calls that a quota had counted after the backup [quota]', async () => {
    const quotas = [{ per: [], calls: 2, window: 60 * MINUTE }];
    const before = createQuotas(quotas, { stores: open() });
    expect(await before.consume(call())).toBeUndefined();
    await backUp();
    expect(await before.consume(call())).toBeUndefined();
    expect(await before.consume(call())).toBeDefined();
    const restored = createQuotas(quotas, { stores: await restore() });
    expect(await restored.consume(call())).toBeUndefined();
    expect(await restored.consume(call())).toBeDefined();
  });

  it('serves an ended session again until it expires, and forgets later sessions [session]', async () => {
    const create = (stores: Stores) => {
      const server = createServer({ name: 'sessions', version: '1.0.0', clock, stores, tools: {} });
      const handle = createHandler(server, { clock });
      const request = async (method: string, body?: object, session?: string) => {
        const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
        const response = await handle(
          new Request('http://localhost/mcp', {
            method,
            headers: { ...headers, host: 'localhost', ...(session === undefined ? {} : { 'mcp-session-id': session }) },
            ...(body ? { body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }) } : {}),
          }),
        );
        await response.text();
        return response;
      };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
      return {
        async close() {
          await handle.close();
          server.close();
        },
        start: async () =>
          (await request('POST', { method: 'initialize', params })).headers.get('mcp-session-id') ?? '',
        ping: async (session: string) => (await request('POST', { method: 'ping' }, session)).status,
        end: async (session: string) => (await request('DELETE', undefined, session)).status,
      };
    };
    const before = create(open());
    const session = await before.start();
    await backUp();
    expect(await before.ping(session)).toBe(200);
    await before.end(session);
    expect(await before.ping(session)).toBe(404);
    const later = await before.start();
    await before.close();

    const restored = create(await restore());
    expect([await restored.ping(session), await restored.ping(later)]).toEqual([200, 404]);
    await restored.close();

    const late = create(await restore());
    clock.advance(30 * MINUTE);
    expect(await late.ping(session)).toBe(404);
    await late.close();
  });

  it('accepts a used refresh token of an issuer again, and ends the consent when the newer one is used [refresh token of an issuer]', async () => {
    const refresh = (place: ReturnType<typeof openTestIssuer>, token = '') =>
      place.token({ grant_type: 'refresh_token', refresh_token: token, client_id: 'app' });
    const before = openTestIssuer({ stores: open() });
    const { body } = await before.redeem(await before.code());
    await backUp();
    const newer = await refresh(before, body.refresh_token);
    expect(newer.status).toBe(200);
    const restored = openTestIssuer({ stores: await restore() });
    expect((await refresh(restored, body.refresh_token)).status).toBe(200);
    // The store does not know the newer token, so its use looks like a second use.
    const other = openTestIssuer({ stores: await restore() });
    expect((await refresh(other, newer.body.refresh_token)).status).toBe(400);
    expect((await refresh(other, body.refresh_token)).status).toBe(400);
  });

  it('contains the tokens of a user who has signed out [token]', async () => {
    const name = ['tokens', 'https://issuer.example'] as const;
    const before = sharedTokenStore(open(), { clock });
    await before.update(name, async () => ({ next: { token: 'refresh-1' }, result: undefined }));
    await backUp();
    await before.update(name, async () => ({ next: null, result: undefined }));
    expect(await before.get(name)).toBeUndefined();
    const restored = sharedTokenStore(await restore(), { clock });
    expect(await restored.get(name)).toEqual({ token: 'refresh-1' });
  });
});

it('restores the kinds of records that the page about operations lists', async () => {
  const page = await readFile(new URL('../../docs/deploy/operations.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('### Data that comes back'), page.indexOf('### Restore safely'));
  const listed = [...section.matchAll(/^\| ([a-z][^|]*?) \|/gm)].map(([, name]) => name);
  const source = await readFile(new URL(import.meta.url), 'utf8');
  const tested = [...source.matchAll(/^ {2}it\('[^']*\[([a-z ]+)\]'/gm)].map(([, name]) => name);
  expect(listed).toEqual(['data', ...tested]);
});
