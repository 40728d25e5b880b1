import { type Client, connect, type Events, type Target, type TenonError } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AskedFor, agreeable } from './answers.js';
import { collect, textOf } from './collect.js';
import { offered } from './our-client-offered.js';
import type { OfficialServer } from './server-types.js';
import { soon } from './soon.js';

/** A server that is not ours, and what can be had of it. */
export interface Peer {
  readonly target: Target;
  /** Runs when the client has closed: frees what it does not, checks what it does. */
  stop(): Promise<void> | void;
}

export interface Lane {
  readonly name: string;
  open(): Promise<Peer> | Peer;
  /** What the client is pinned to. Default: nothing. */
  readonly pin?: string;
  /** What is agreed on. */
  readonly revision: string;
  /** Who the server says it is. */
  readonly info: string;
  /** No road for questions, changes and cancellations: every request stands for itself. */
  readonly stateless?: true;
  /** Nothing comes before the answer. */
  readonly answersOnly?: true;
}

/** Our client with one server of an official SDK: every feature that both have. */
export function meets(lane: Lane): void {
  describe(lane.name, () => {
    let peer: Peer;
    let client: Client<OfficialServer>;
    const asked: AskedFor = [];
    const logs: Events['log'][] = [];
    const problems: TenonError[] = [];

    beforeAll(async () => {
      peer = await lane.open();
      const pinned = lane.pin === undefined ? {} : { revision: lane.pin };
      client = await connect<OfficialServer>(peer.target, { ...agreeable(asked), ...pinned, logLevel: 'info' });
      client.on('log', log => logs.push(log));
      client.on('problem', problem => problems.push(problem));
    });
    afterAll(async () => {
      await client?.close();
      await peer?.stop();
      expect(problems).toEqual([]);
    });

    offered(lane, () => client);
    if (!lane.stateless) questions(lane, () => client, asked);
    if (!lane.answersOnly) along(lane, () => client, logs);
    if (!lane.stateless) changes(() => client);
  });
}

const since = (revision: string) => (lane: Lane) => lane.revision >= revision;
const hasForms = since('2025-06-18');
const hasVisits = since('2025-11-25');

function questions(lane: Lane, client: () => Client, asked: AskedFor): void {
  it('answers what the server asks', async () => {
    expect(JSON.parse(textOf(await client().callTool('think')))).toMatchObject({
      model: 'echo',
      content: { text: 'You said: hello' },
    });
    expect(JSON.parse(textOf(await client().callTool('where')))).toMatchObject({
      roots: [{ uri: 'file:///work', name: 'Work' }],
    });
    if (hasForms(lane))
      expect(JSON.parse(textOf(await client().callTool('ask')))).toEqual({
        action: 'accept',
        content: { name: 'Ada', size: 'small' },
      });
    if (hasVisits(lane)) expect(JSON.parse(textOf(await client().callTool('visit')))).toEqual({ action: 'accept' });
    const expected = [
      'sample',
      'roots',
      ...(hasForms(lane) ? ['form Who are you?'] : []),
      ...(hasVisits(lane) ? ['url https://example.com/in'] : []),
    ];
    expect(asked).toEqual(expected);
  });
}

/** What comes along with an answer. */
function along(lane: Lane, client: () => Client, logs: Events['log'][]): void {
  it('hears progress and log messages', async () => {
    const seen: number[] = [];
    expect(
      textOf(await client().callTool('works', { steps: 4 }, { onProgress: ({ progress }) => seen.push(progress) })),
    ).toBe('done');
    expect(seen).toEqual([1, 2, 3, 4]);
    if (!lane.stateless)
      await soon(() => expect(logs).toContainEqual({ level: 'warning', data: 'worked', logger: 'tale' }));
  });

  it('cancels', async () => {
    const stop = new AbortController();
    const call = client().callTool(
      'waits',
      { name: lane.name },
      { signal: stop.signal, onProgress: () => stop.abort() },
    );
    await expect(call).rejects.toMatchObject({ code: expect.stringMatching(/cancel|abort/) });
    if (!lane.stateless)
      await soon(async () => expect(textOf(await client().callTool('cancelled'))).toContain(lane.name));
  });
}

function changes(client: () => Client): void {
  it('hears of changes to lists', async () => {
    const stop = new AbortController();
    const watching = client().watch({ tools: true }, { signal: stop.signal })[Symbol.asyncIterator]();
    const change = watching.next();
    // A stream that listens has to be open first, and nothing says when: it grows until it is heard.
    let heard = false;
    void change.then(() => {
      heard = true;
    });
    let name = '';
    await soon(async () => {
      name = textOf(await client().callTool('grow'));
      if (!heard) throw new Error('not heard yet');
    });
    expect(await change).toEqual({ done: false, value: { list: 'tools' } });
    stop.abort();
    expect((await collect(client().listTools())).map(tool => tool.name)).toContain(name);
  });

  it('hears of changes to a resource', async () => {
    const uri = 'note://all';
    const stop = new AbortController();
    const heard: unknown[] = [];
    const watching = (async () => {
      for await (const change of client().watch(uri, { signal: stop.signal })) heard.push(change);
    })();
    await soon(async () => {
      await client().callTool('touch', { uri });
      expect(heard).toContainEqual({ uri });
    });
    stop.abort();
    await watching;
  });
}
