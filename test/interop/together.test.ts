import { connect } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agreeable } from './answers.js';
import { textOf } from './collect.js';
import { createOurs } from './fixtures/our-example.js';
import { visitByV1 } from './sdk-v1-visitor.js';
import { visitByV2 } from './sdk-v2-visitor.js';
import { soon } from './soon.js';
import type { Visitor } from './visitor.js';

const auto = { versionNegotiation: { mode: 'auto' } } as const;
const methods = ({ heard }: Visitor) => heard.map(({ method }) => method);

describe('One server for clients of every kind at once', () => {
  let http: HttpServer;
  const leaving: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    http = await serveHttp(createOurs(), { port: 0 });
  });
  afterEach(async () => {
    await Promise.all(leaving.splice(0).map(leave => leave()));
    await http.close({ deadline: 0 });
  });
  const staying = (visitor: Visitor) => {
    leaving.push(() => visitor.client.close());
    return visitor;
  };

  it('answers each in its own words, tells all of a change, and each only of its own call', async () => {
    const v1 = staying(await visitByV1({ url: http.url }));
    const older = staying(await visitByV1({ sseUrl: http.sseUrl ?? '' }));
    const v2 = staying(await visitByV2({ url: http.url }, auto));
    const ours = await connect(http.url, { ...agreeable(), logLevel: 'debug' });
    leaving.push(() => ours.close());

    const revisions = await Promise.all(
      [v1, older, v2].map(async ({ call }) => JSON.parse(textOf(await call('meta'))).revision),
    );
    expect(revisions).toEqual(['2025-11-25', '2025-11-25', '2026-07-28']);

    await v2.listen?.({ toolsListChanged: true });
    const changed = new Promise(resolve => ours.on('change', resolve));
    const watching = ours.watch({ tools: true })[Symbol.asyncIterator]();
    const first = watching.next();
    await soon(async () => {
      await v1.call('grow');
      for (const visitor of [v1, older, v2]) expect(methods(visitor)).toContain('notifications/tools/list_changed');
    });
    expect(await changed).toEqual({ list: 'tools' });
    await first;

    await v1.client.setLoggingLevel('debug');
    await v1.call('logs');
    await soon(() => expect(methods(v1).filter(method => method === 'notifications/message')).toHaveLength(8));
    for (const visitor of [older, v2]) expect(methods(visitor)).not.toContain('notifications/message');

    const answers = await Promise.all(
      [v1, older, v2].map(({ call }, index) => call('dialogue', { topic: `topic ${index}` })),
    );
    expect(answers.map(textOf)).toEqual(Array(3).fill('accept You said: accept accept true'));
    for (const [index, { asked }] of [v1, older, v2].entries())
      expect(asked).toContain(`form First, about topic ${index}?`);
  });
});
