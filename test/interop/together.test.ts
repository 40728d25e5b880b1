import { connect } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAnswers } from './answers.js';
import { getText } from './collect.js';
import { createExampleServer } from './fixtures/our-example.js';
import { retryUntilPasses } from './retry.js';
import type { ConnectedSdkClient } from './sdk-client.js';
import { connectSdkV1 } from './sdk-v1-client.js';
import { connectSdkV2 } from './sdk-v2-client.js';

const auto = { versionNegotiation: { mode: 'auto' } } as const;
const methods = ({ notifications }: ConnectedSdkClient) => notifications.map(({ method }) => method);

describe('one server for clients of every kind at once', () => {
  let http: HttpServer;
  const leaving: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    http = await serveHttp(createExampleServer(), { port: 0 });
  });
  afterEach(async () => {
    await Promise.all(leaving.splice(0).map(leave => leave()));
    await http.close({ timeout: 0 });
  });
  const staying = (visitor: ConnectedSdkClient) => {
    leaving.push(() => visitor.client.close());
    return visitor;
  };

  it('responds in the version of each, notifies all of a change, and each only of its own calls', async () => {
    const v1 = staying(await connectSdkV1({ url: http.url }));
    const older = staying(await connectSdkV1({ sseUrl: http.sseUrl ?? '' }));
    const v2 = staying(await connectSdkV2({ url: http.url }, auto));
    const ours = await connect(http.url, { ...createAnswers(), logLevel: 'debug' });
    leaving.push(() => ours.close());

    const versions = await Promise.all(
      [v1, older, v2].map(async ({ call }) => JSON.parse(getText(await call('meta'))).version),
    );
    expect(versions).toEqual(['2025-11-25', '2025-11-25', '2026-07-28']);

    await v2.listen?.({ toolsListChanged: true });
    const changed = new Promise(resolve => ours.on('change', resolve));
    const watching = ours.watch({ tools: true })[Symbol.asyncIterator]();
    const first = watching.next();
    await retryUntilPasses(async () => {
      await v1.call('grow');
      for (const visitor of [v1, older, v2]) expect(methods(visitor)).toContain('notifications/tools/list_changed');
    });
    expect(await changed).toEqual({ list: 'tools' });
    await first;

    await v1.client.setLoggingLevel('debug');
    await v1.call('logs');
    await retryUntilPasses(() =>
      expect(methods(v1).filter(method => method === 'notifications/message')).toHaveLength(8),
    );
    for (const visitor of [older, v2]) expect(methods(visitor)).not.toContain('notifications/message');

    const answers = await Promise.all(
      [v1, older, v2].map(({ call }, index) => call('dialogue', { topic: `topic ${index}` })),
    );
    expect(answers.map(getText)).toEqual(Array(3).fill('accept You said: accept accept true'));
    for (const [index, { requests }] of [v1, older, v2].entries())
      expect(requests).toContain(`form First, about topic ${index}?`);
  });
});
