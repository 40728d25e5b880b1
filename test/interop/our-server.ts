import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getText } from './collect.js';
import { testListings, testTools } from './our-server-listings.js';
import { waitForExit } from './process.js';
import { repeatAfterPause } from './repeat-after-pause.js';
import { retryUntilPasses } from './retry.js';
import type { ConnectedSdkClient } from './sdk-client.js';
import { newest, type SdkConnection, supportsVersion } from './sdk-connection.js';

/** A client of an official SDK with our server: every feature that both have. */
export function testOurServer(visit: SdkConnection): void {
  describe(visit.name, () => {
    let visitor: ConnectedSdkClient;
    beforeAll(async () => {
      visitor = await visit.open();
    });
    afterAll(async () => {
      await visitor?.client.close();
      if (visitor?.pid) await waitForExit(visitor.pid);
      await visit.stop?.();
    });
    const now = () => visitor;
    testListings(visit, now);
    testTools(visit, now);
    testNotifications(visit, now);
    testServerRequests(visit, now);
    testChanges(now);
  });
}

/** What comes along with an answer. */
function testNotifications(visit: SdkConnection, now: () => ConnectedSdkClient): void {
  it('receives progress', async () => {
    let seen: unknown[] = [];
    // A tool that pauses: the client of v1 forgets a call's listener before it hands out reports that came with the answer.
    const callPaced = () => {
      seen = [];
      return now().call('paced', {}, { onprogress: progress => seen.push(progress) });
    };
    expect(getText(await repeatAfterPause(callPaced, () => seen.length === 3))).toBe('done');
    const message = (step: number) => (supportsVersion('2025-03-26', visit) ? { message: `step ${step}` } : {});
    expect(seen).toEqual([1, 2, 3].map(progress => ({ progress, total: 3, ...message(progress) })));
  });

  it('receives log messages from the requested level', async () => {
    const { client, call, notifications } = now();
    if (visit.version === newest) await call('logs', {}, { meta: { 'io.modelcontextprotocol/logLevel': 'warning' } });
    else {
      await client.setLoggingLevel('warning');
      await call('logs');
    }
    const levels = () =>
      notifications
        .filter(({ method }) => method === 'notifications/message')
        .map(({ params }) => (params as { level: string }).level);
    await retryUntilPasses(() => expect(levels()).toContain('emergency'));
    expect(levels()).toEqual(['warning', 'error', 'critical', 'alert', 'emergency']);
  });

  it('cancels a call', async () => {
    const { call } = now();
    const stop = new AbortController();
    const name = `${visit.name} ${Math.random()}`;
    await expect(call('waits', { name }, { signal: stop.signal, onprogress: () => stop.abort() })).rejects.toThrow();
    await retryUntilPasses(async () => expect(getText(await call('cancelled'))).toContain(name));
  });

  it('pings, and notifies of changed roots', async () => {
    const { client } = now();
    if (visit.version === newest) return expect(client.ping()).rejects.toThrow(/2026-07-28|not.*(support|exist)/i);
    await client.ping();
    await client.sendRootsListChanged();
  });
}

function testServerRequests(visit: SdkConnection, now: () => ConnectedSdkClient): void {
  const forms = supportsVersion('2025-06-18', visit);

  it('answers input requests of the server', async () => {
    const { call, requests } = now();
    requests.length = 0;
    expect(JSON.parse(getText(await call('rooted')))).toMatchObject([{ uri: 'file:///work' }]);
    expect(JSON.parse(getText(await call('samples')))).toMatchObject({
      model: 'echo',
      content: { text: 'You said: Hello' },
    });
    expect(requests).toEqual(['roots', 'sample']);
    if (forms)
      expect(JSON.parse(getText(await call('formed')))).toMatchObject({ action: 'accept', content: { name: 'Ada' } });
    if (supportsVersion('2025-11-25', visit)) {
      expect(getText(await call('visits'))).toBe('accept');
      expect(JSON.parse(getText(await call('uses')))).toMatchObject(['toolUse', { type: 'text' }]);
    }
  });

  if (!forms) return;
  it('handles sequential, concurrent and returned input requests', async () => {
    const { call, client, requests } = now();
    requests.length = 0;
    expect(getText(await call('dialogue', { topic: 'joints' }))).toBe('accept You said: accept accept true');
    expect(requests).toEqual(['form First, about joints?', 'sample', 'form Second?']);
    expect(getText(await call('together'))).toBe('accept 1 echo');
    expect(getText(await call('returns'))).toBe('2:Ada model');
    expect((await client.getPrompt({ name: 'asked' })).messages).toMatchObject([{ content: { text: 'Greet Ada.' } }]);
    expect(await client.readResource({ uri: 'note://asked' })).toMatchObject({ contents: [{ text: 'accept' }] });
  });
}

function testChanges(now: () => ConnectedSdkClient): void {
  const uri = 'note://by/a';

  it('receives changes of a resource and of lists, until it unsubscribes', async () => {
    const { client, call, notifications: received, listen } = now();
    const updates = () => received.filter(({ method }) => method === 'notifications/resources/updated');
    const filter = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [uri],
    };
    const leave = listen ? await listen(filter) : () => client.unsubscribeResource({ uri });
    if (!listen) await client.subscribeResource({ uri });
    // Over HTTP a client of a session listens when its stream is open, of which it says nothing.
    await retryUntilPasses(async () => {
      await call('touch', { uri });
      expect(updates()).not.toEqual([]);
    });
    expect(updates()[0]).toMatchObject({ params: { uri } });
    await call('touch', { uri: 'note://by/b' });
    await call('grow');
    await retryUntilPasses(() => {
      const methods = received.map(({ method }) => method);
      for (const list of ['tools', 'prompts', 'resources'])
        expect(methods).toContain(`notifications/${list}/list_changed`);
    });
    const before = updates().length;
    expect(updates().every(({ params }) => (params as { uri: string }).uri === uri)).toBe(true);
    await leave();
    await call('touch', { uri });
    await call('grow');
    expect(updates()).toHaveLength(before);
  });
}
