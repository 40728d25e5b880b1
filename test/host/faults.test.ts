import { fakeClock } from '@tenon/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { getText } from '../interop/collect.js';
import { retryUntilPasses } from '../interop/retry.js';
import { isFull, takePart } from '../support/extent.js';
import { createFaultyServer, type FaultyServer } from './faulty-server.js';
import { advanceTime, listTools, startHost } from './host-fixture.js';

/** Protocol versions of the client and of the servers. */
const pairs = [
  ['2026-07-28', '2025-11-25'],
  ['2025-06-18', '2026-07-28'],
  ['2026-07-28', '2026-07-28'],
  ['2024-11-05', '2024-11-05'],
] as const;

const last = ({ pids }: FaultyServer) => pids.at(-1) as number;
const kill = (server: FaultyServer) => process.kill(last(server), 'SIGKILL');

describe.each(takePart(pairs, 0, pairs.length))(
  'a client of %s and servers of %s, when one server is killed',
  (version, serverVersion) => {
    it('rejects its call with an unknown outcome, completes others, and starts it again for the next', async () => {
      const servers = {
        good: createFaultyServer({ version: serverVersion }),
        mortal: createFaultyServer({ version: serverVersion }),
      };
      const setup = await startHost(servers, { version });
      const others: string[] = [];
      const { client } = setup;
      expect(getText(await client.callTool('mortal__echo', { text: 'there' }))).toBe('there');
      const before = last(servers.mortal);
      const stop = new AbortController();
      const onProgress = () => others.push('goes on');
      const other = client.callTool('good__waits', {}, { signal: stop.signal, onProgress });
      const isOver = vi.fn();
      other.then(isOver, isOver);
      await retryUntilPasses(() => expect(others).toEqual(['goes on']));
      const started = servers.good.pids.length;
      const call = client.callTool('mortal__waits', {}, { onProgress: () => kill(servers.mortal) });
      await expect(call).rejects.toMatchObject({
        rpcCode: -32603,
        summary: expect.stringMatching(/"mortal".*may have been carried out/),
      });
      expect(getText(await client.callTool('good__echo', { text: 'still here' }))).toBe('still here');
      // The new process has seen this call and no other: nothing was sent twice.
      const [pid, calls] = getText(await client.callTool('mortal__count')).split(' ');
      expect(Number(pid)).toBe(last(servers.mortal));
      expect([Number(pid) !== before, calls]).toEqual([true, '1']);
      expect(servers.good.pids).toHaveLength(started);
      expect(isOver).not.toHaveBeenCalled();
      stop.abort();
      await expect(other).rejects.toMatchObject({ code: 'call/aborted' });
      await setup.close();
    });

    it.runIf(version >= '2025-06-18')('responds to the caller although the server waited for input', async () => {
      const servers = { mortal: createFaultyServer({ version: serverVersion }) };
      const requests: string[] = [];
      const elicit = ({ message }: { message: string }) => {
        requests.push(message);
        kill(servers.mortal);
        return { action: 'cancel' as const };
      };
      const setup = await startHost(servers, { version, elicit });
      const call = setup.client.callTool('asks');
      if (serverVersion === '2026-07-28') {
        // That protocol version has no requests from servers: it is not passed on.
        void call.catch(() => {});
        await retryUntilPasses(() => expect(setup.errors.map(({ code }) => code)).toContain('peer/unexpected-request'));
      } else {
        await expect(call).rejects.toMatchObject({ summary: expect.stringContaining('may have been carried out') });
        expect(requests).toEqual(['Who?']);
      }
      await setup.close();
    });
  },
);

describe.each(takePart(pairs, 1, pairs.length))(
  'a client of %s and servers of %s, when one server exits at its start',
  (version, serverVersion) => {
    it('lists the others, reports its absence in each list and by a log, and starts it with delays', async () => {
      const servers = {
        good: createFaultyServer({ version: serverVersion }),
        broken: createFaultyServer({ version: serverVersion, start: 'exit' }),
      };
      const setup = await startHost(servers, { version });
      const first = await listTools(setup);
      expect(first.names).toContain('good__echo');
      expect(first.names.filter(name => !name.startsWith('good__'))).toEqual([]);
      const reason = expect.stringMatching(/exited with code 3|stdout/);
      expect(first.absent).toEqual([{ server: 'broken', reason, code: 'stdio/exited' }]);
      await retryUntilPasses(() =>
        expect(setup.logs).toContainEqual(
          expect.objectContaining({ data: { unavailable: [{ server: 'broken', reason, code: 'stdio/exited' }] } }),
        ),
      );
      for (const method of ['prompts/list', 'resources/list', 'resources/templates/list'] as const)
        expect((await setup.client.call(method))._meta).toMatchObject({
          'dev.tenon/unavailable': [{ server: 'broken' }],
        });
      for (let time = 0; time < 20; time++) expect((await listTools(setup)).absent).toHaveLength(1);
      // Each start is two where the server exits when it is asked for its protocol versions.
      expect(servers.broken.pids.length).toBeLessThanOrEqual(6);
      await expect(setup.client.callTool('broken__echo')).rejects.toMatchObject({
        rpcCode: -32603,
        summary: expect.stringMatching(/"broken" did not respond correctly/),
      });
      // What it wrote is for whoever runs the host, and not for its callers.
      expect(JSON.stringify([first, setup.logs])).not.toContain('no database');
      expect(setup.errors.map(({ message }) => message).join()).toContain('no database');
      await setup.close();
    });

    it('rejects lists when all servers are absent', async () => {
      const broken = () => createFaultyServer({ version: serverVersion, start: 'exit' });
      const setup = await startHost({ one: broken(), two: broken() }, { version });
      for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'] as const)
        await expect(setup.client.call(method)).rejects.toMatchObject({
          rpcCode: -32603,
          summary: expect.stringContaining('All 2 servers are unavailable'),
          data: { unavailable: [{ server: 'one' }, { server: 'two' }] },
        });
      await setup.close();
    });

    it.runIf(isFull)('delays more and more when it exits soon after its start', async () => {
      const servers = {
        good: createFaultyServer({ version: serverVersion }),
        brief: createFaultyServer({ version: serverVersion, start: 'brief' }),
      };
      const setup = await startHost(servers, { version });
      const until = Date.now() + 2500;
      while (Date.now() < until) {
        expect((await listTools(setup)).names).toContain('good__echo');
        await new Promise(resolve => setTimeout(resolve, 20));
      }
      expect(servers.brief.pids.length).toBeLessThanOrEqual(8);
      await setup.close();
    });
  },
);

describe.each(takePart(pairs, 3, pairs.length))(
  'a client of %s and servers of %s, when one server hangs',
  (version, serverVersion) => {
    const listTimeout = 2000;

    it('lists the others in time with one report, and notifies of later lists', async () => {
      const servers = {
        good: createFaultyServer({ version: serverVersion }),
        mute: createFaultyServer({ version: serverVersion, start: 'hang' }),
        stuck: createFaultyServer({ version: serverVersion, lists: 'hang' }),
        slow: createFaultyServer({ version: serverVersion, lists: 'slow', after: 4000 }),
      };
      const clock = fakeClock();
      let pace = 20;
      const ticking = setInterval(() => clock.advance(pace), 20);
      onTestFinished(() => clearInterval(ticking));
      const setup = await startHost(servers, { version, listTimeout, clock });
      // It is up before the time counts: how fast a process starts is the machine's affair.
      await setup.client.callTool('good__echo', { text: 'up' });
      const first = await listTools(setup);
      expect(first.names).toContain('good__echo');
      expect(first.absent.map(({ server }) => server)).toEqual(['mute', 'stuck', 'slow']);
      // Nobody waits twice for the same: a list that did would never come, because no time passes.
      pace = 0;
      expect((await listTools(setup)).names).toContain('good__echo');
      expect(getText(await setup.client.callTool('good__echo', { text: 'at once' }))).toBe('at once');
      pace = 20;
      // On a busy machine other changes may come first, as when the process is up at last.
      const later = await retryUntilPasses(async () => {
        expect(setup.changes.length).toBeGreaterThan(0);
        const listed = await listTools(setup);
        expect(listed.names).toContain('slow__echo');
        return listed;
      });
      expect(later.absent.map(({ server }) => server)).toEqual(['mute', 'stuck']);
      // A stuck server harms no reading of what another has.
      const { contents } = await setup.client.readResource(`faulty://${last(servers.good)}/listed`);
      expect(contents).toMatchObject([{ text: 'read' }]);
      await setup.close();
    });

    it('rejects its calls after the idle timeout with an unknown outcome', async () => {
      const hangs = createFaultyServer({ version: serverVersion }, { idleTimeout: 300 });
      const clock = fakeClock();
      const setup = await startHost(
        { hangs, good: createFaultyServer({ version: serverVersion }) },
        { version, clock },
      );
      // It is up before time passes: how fast a process starts is the machine's affair.
      expect(getText(await setup.client.callTool('hangs__echo', { text: 'well' }))).toBe('well');
      const call = setup.client.callTool('hangs__hangs');
      await advanceTime(clock, call);
      await expect(call).rejects.toMatchObject({
        summary: expect.stringMatching(/"hangs" did not respond correctly to tools\/call.*may have been carried out/),
      });
      expect(getText(await setup.client.callTool('hangs__echo', { text: 'well again' }))).toBe('well again');
      await setup.close();
    });

    it('rejects its call with an unknown outcome, and starts it again, when it closes its standard output', async () => {
      const mute = createFaultyServer({ version: serverVersion });
      const setup = await startHost({ mute, good: createFaultyServer({ version: serverVersion }) }, { version });
      await expect(setup.client.callTool('mute__closes-output')).rejects.toMatchObject({
        summary: expect.stringMatching(/"mute" did not respond correctly to tools\/call.*may have been carried out/),
      });
      expect(getText(await setup.client.callTool('mute__echo', { text: 'well again' }))).toBe('well again');
      await setup.close();
    });

    it.runIf(version === serverVersion)('replaces a frozen server after a call has timed out', async () => {
      const frozen = createFaultyServer({ version: serverVersion }, { idleTimeout: 300 });
      const clock = fakeClock();
      const setup = await startHost(
        { frozen, good: createFaultyServer({ version: serverVersion }) },
        { version, clock },
      );
      expect(getText(await setup.client.callTool('frozen__echo', { text: 'well' }))).toBe('well');
      const before = last(frozen);
      process.kill(before, 'SIGSTOP');
      const call = setup.client.callTool('frozen__echo');
      await advanceTime(clock, call);
      await expect(call).rejects.toMatchObject({
        summary: expect.stringContaining('may have been carried out'),
      });
      // No answer to the ping that follows: the connection ends.
      clock.advance(5000);
      expect(getText(await setup.client.callTool('frozen__echo', { text: 'well again' }))).toBe('well again');
      expect(last(frozen)).not.toBe(before);
      await setup.close();
    });

    it('stops waiting for a server that never connects, and leaves no process', async () => {
      const mute = createFaultyServer({ version: serverVersion, start: 'hang' }, { startTimeout: 500 });
      const setup = await startHost({ mute, good: createFaultyServer({ version: serverVersion }) }, { version });
      const { absent } = await listTools(setup);
      expect(absent).toEqual([
        { server: 'mute', reason: expect.stringContaining('"mute" timed out at startup'), code: 'host/start-timeout' },
      ]);
      await setup.close();
    });
  },
);
