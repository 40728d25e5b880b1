import { type Client, type ClientEvents, type ConnectTarget, connect, type TenonError } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAnswers, type ReceivedRequests } from './answers.js';
import { collect, getText } from './collect.js';
import { testListings } from './our-client-listings.js';
import { retryUntilPasses } from './retry.js';
import type { OfficialServer } from './server-types.js';

/** A server that is not ours, and what can be had of it. */
export interface InteropPeer {
  readonly target: ConnectTarget;
  /** Runs when the client has closed: frees what it does not, checks what it does. */
  stop(): Promise<void> | void;
}

export interface InteropCombination {
  readonly name: string;
  open(): Promise<InteropPeer> | InteropPeer;
  /** What the client is pinned to. Default: nothing. */
  readonly pin?: string;
  /** What is agreed on. */
  readonly version: string;
  /** Who the server says it is. */
  readonly info: string;
  /** No road for questions, changes and cancellations: every request stands for itself. */
  readonly stateless?: true;
  /** Nothing comes before the answer. */
  readonly answersOnly?: true;
}

/** Our client with one server of an official SDK: every feature that both have. */
export function testOurClient(variant: InteropCombination): void {
  describe(variant.name, () => {
    let peer: InteropPeer;
    let client: Client<OfficialServer>;
    const requests: ReceivedRequests = [];
    const logs: ClientEvents['log'][] = [];
    const errors: TenonError[] = [];

    beforeAll(async () => {
      peer = await variant.open();
      const pinned = variant.pin === undefined ? {} : { protocolVersion: variant.pin };
      client = await connect<OfficialServer>(peer.target, { ...createAnswers(requests), ...pinned, logLevel: 'info' });
      client.on('log', log => logs.push(log));
      client.on('error', error => errors.push(error));
    });
    afterAll(async () => {
      await client?.close();
      await peer?.stop();
      expect(errors).toEqual([]);
    });

    testListings(variant, () => client);
    if (!variant.stateless) testServerRequests(variant, () => client, requests);
    if (!variant.answersOnly) testNotifications(variant, () => client, logs);
    if (!variant.stateless) testChanges(() => client);
  });
}

const supportsFrom = (version: string) => (variant: InteropCombination) => variant.version >= version;
const hasForms = supportsFrom('2025-06-18');
const hasUrlElicitation = supportsFrom('2025-11-25');

function testServerRequests(variant: InteropCombination, client: () => Client, requests: ReceivedRequests): void {
  it('answers input requests of the server', async () => {
    expect(JSON.parse(getText(await client().callTool('think')))).toMatchObject({
      model: 'echo',
      content: { text: 'You said: hello' },
    });
    expect(JSON.parse(getText(await client().callTool('where')))).toMatchObject({
      roots: [{ uri: 'file:///work', name: 'Work' }],
    });
    if (hasForms(variant))
      expect(JSON.parse(getText(await client().callTool('ask')))).toEqual({
        action: 'accept',
        content: { name: 'Ada', size: 'small' },
      });
    if (hasUrlElicitation(variant))
      expect(JSON.parse(getText(await client().callTool('visit')))).toEqual({ action: 'accept' });
    const expected = [
      'sample',
      'roots',
      ...(hasForms(variant) ? ['form Who are you?'] : []),
      ...(hasUrlElicitation(variant) ? ['url https://example.com/in'] : []),
    ];
    expect(requests).toEqual(expected);
  });
}

/** What comes along with an answer. */
function testNotifications(variant: InteropCombination, client: () => Client, logs: ClientEvents['log'][]): void {
  it('receives progress and log messages', async () => {
    const seen: number[] = [];
    expect(
      getText(await client().callTool('works', { steps: 4 }, { onProgress: ({ progress }) => seen.push(progress) })),
    ).toBe('done');
    expect(seen).toEqual([1, 2, 3, 4]);
    if (!variant.stateless)
      await retryUntilPasses(() => expect(logs).toContainEqual({ level: 'warning', data: 'worked', logger: 'tale' }));
  });

  it('cancels a call', async () => {
    const stop = new AbortController();
    const call = client().callTool(
      'waits',
      { name: variant.name },
      { signal: stop.signal, onProgress: () => stop.abort() },
    );
    await expect(call).rejects.toMatchObject({ code: expect.stringMatching(/cancel|abort/) });
    if (!variant.stateless)
      await retryUntilPasses(async () => expect(getText(await client().callTool('cancelled'))).toContain(variant.name));
  });
}

function testChanges(client: () => Client): void {
  it('receives changes of lists', async () => {
    const stop = new AbortController();
    const watching = client().watch({ tools: true }, { signal: stop.signal })[Symbol.asyncIterator]();
    const change = watching.next();
    // A stream that listens has to be open first, and nothing says when: it grows until it is heard.
    let isReceived = false;
    void change.then(() => {
      isReceived = true;
    });
    let name = '';
    await retryUntilPasses(async () => {
      name = getText(await client().callTool('grow'));
      if (!isReceived) throw new Error('not heard yet');
    });
    expect(await change).toEqual({ done: false, value: { list: 'tools' } });
    stop.abort();
    expect((await collect(client().listTools())).map(tool => tool.name)).toContain(name);
  });

  it('receives changes of a resource', async () => {
    const uri = 'note://all';
    const stop = new AbortController();
    const received: unknown[] = [];
    const watching = (async () => {
      for await (const change of client().watch(uri, { signal: stop.signal })) received.push(change);
    })();
    await retryUntilPasses(async () => {
      await client().callTool('touch', { uri });
      expect(received).toContainEqual({ uri });
    });
    stop.abort();
    await watching;
  });
}
