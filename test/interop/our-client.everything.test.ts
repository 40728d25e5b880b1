import { connect, type Target } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreeable } from './answers.js';
import { collect } from './collect.js';
import { asks } from './everything-asking.js';
import { type Guest, offers } from './everything-offers.js';
import { gone, type HttpPeer, isRunning, official, startHttpPeer, stdioPeer } from './process.js';

const everything = official('server-everything');

interface Road {
  readonly target: Target;
  /** Ends what the client does not end; checks what it does. */
  stop(): Promise<void>;
}

/** Which of the two transports it is, the client finds out by itself. */
async function overHttp(transport: 'streamableHttp' | 'sse', path: string): Promise<Road> {
  const peer: HttpPeer = await startHttpPeer([everything, transport]);
  return { target: peer.origin + path, stop: peer.stop };
}

const roads: Record<string, () => Promise<Road>> = {
  async stdio() {
    const { target, pid } = stdioPeer([everything, 'stdio']);
    return {
      target,
      async stop() {
        expect(isRunning(pid())).toBe(false);
      },
    };
  },
  'Streamable HTTP': () => overHttp('streamableHttp', '/mcp'),
  'HTTP+SSE': () => overHttp('sse', '/sse'),
};

describe.each(Object.keys(roads))('server-everything over %s', name => {
  let road: Road;
  let guest: Guest;

  beforeAll(async () => {
    road = await (roads[name] as () => Promise<Road>)();
    const asked: Guest['asked'] = [];
    const client = await connect(road.target, agreeable(asked));
    guest = { client, asked, logs: [], problems: [] };
    client.on('log', log => guest.logs.push(log));
    client.on('problem', problem => guest.problems.push(problem));
  });

  afterAll(async () => {
    await guest.client.close();
    await road.stop();
    expect(guest.problems).toEqual([]);
  });

  offers(() => guest);
  asks(() => guest);
});

describe('server-everything without what a client can answer', () => {
  it('gives fewer tools to a client that can answer nothing, and ends with it', async () => {
    const { target, pid } = stdioPeer([everything, 'stdio']);
    const client = await connect(target);
    const names = (await collect(client.listTools())).map(tool => tool.name);
    expect(names).toContain('echo');
    expect(names).not.toContain('trigger-sampling-request');
    expect(isRunning(pid())).toBe(true);
    await client.close();
    await gone(pid());
  });
});
