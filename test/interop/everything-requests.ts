import { expect, it } from 'vitest';
import { getText } from './collect.js';
import type { EverythingClient } from './everything-listings.js';
import { retryUntilPasses } from './retry.js';

/** What server-everything asks, and what it tells by itself. */
export function testServerRequests(now: () => EverythingClient): void {
  it('handles its input requests: forms with every field, URLs, sampling, roots', async () => {
    expect(getText(await now().client.callTool('trigger-elicitation-request'))).toMatch(
      /Name: Ada[\s\S]*Integer: 42[\s\S]*"legacyTitledEnum": "pet-1"/,
    );
    expect(
      getText(await now().client.callTool('trigger-url-elicitation', { url: 'https://example.com/visit' })),
    ).toContain('User completed the URL elicitation');
    expect(
      getText(await now().client.callTool('trigger-sampling-request', { prompt: 'hello', maxTokens: 10 })),
    ).toContain('You said: Resource trigger-sampling-request context: hello');
    expect(getText(await now().client.callTool('get-roots-list'))).toContain('file:///work');
    expect(now().requests).toEqual(
      expect.arrayContaining([
        'form Please provide inputs for the following fields:',
        'url https://example.com/visit',
        'sample',
        'roots',
      ]),
    );
  });

  it('gets the error that requires a URL elicitation', async () => {
    const call = () =>
      now().client.callTool('trigger-url-elicitation', { url: 'https://example.com/first', errorPath: true });
    await expect(call()).rejects.toMatchObject({
      rpcCode: -32042,
      data: { elicitations: [{ mode: 'url', url: 'https://modelcontextprotocol.io' }] },
    });
    expect(getText(await call())).toContain('User completed');
  });

  it('watches a resource', async () => {
    const uri = 'demo://resource/dynamic/text/1';
    const stop = new AbortController();
    const watching = now().client.watch(uri, { signal: stop.signal })[Symbol.asyncIterator]();
    const change = watching.next();
    await retryUntilPasses(() =>
      expect(now().logs.map(({ data }) => data)).toContainEqual(
        expect.stringContaining(`Subscribe Resource request for URI: ${uri}`),
      ),
    );
    await now().client.callTool('toggle-subscriber-updates');
    expect(await change).toEqual({ done: false, value: { uri } });
    stop.abort();
    await watching.next();
    expect(getText(await now().client.callTool('toggle-subscriber-updates'))).toContain('Stopped');
    await retryUntilPasses(() =>
      expect(now().logs.map(({ data }) => data)).toContainEqual(
        expect.stringContaining('Unsubscribe Resource request'),
      ),
    );
  });

  it('logs from the requested level on', async () => {
    await now().client.setLogLevel('debug');
    const seen = now().logs.length;
    expect(getText(await now().client.callTool('toggle-simulated-logging'))).toContain('Started');
    await retryUntilPasses(() =>
      expect(
        now()
          .logs.slice(seen)
          .map(({ data }) => data),
      ).toContainEqual(expect.stringMatching(/-level|Alert level/)),
    );
    expect(getText(await now().client.callTool('toggle-simulated-logging'))).toContain('Stopped');
  });

  it('gets progress, cancels, and responds to pings', async () => {
    const seen: number[] = [];
    await now().client.callTool(
      'trigger-long-running-operation',
      { duration: 0.2, steps: 4 },
      { onProgress: ({ progress }) => seen.push(progress) },
    );
    expect(seen).toEqual([1, 2, 3, 4]);
    const stop = new AbortController();
    const long = now().client.callTool(
      'trigger-long-running-operation',
      { duration: 30, steps: 300 },
      { signal: stop.signal, onProgress: () => stop.abort() },
    );
    await expect(long).rejects.toMatchObject({ code: expect.stringMatching(/cancel|abort/) });
    await now().client.ping();
    await now().client.notifyRootsChanged();
    await retryUntilPasses(() => expect(now().requests.filter(each => each === 'roots').length).toBeGreaterThan(1));
  });
}
