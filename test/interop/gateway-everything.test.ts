import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayReplica, openGateways } from '../../packages/host/src/fixtures/gateway-replicas.js';
import { openSharedSession } from '../../packages/tenon/src/transports/http/fixtures/replicas.js';
import { eventsOf, nextMessages, type Site } from '../../packages/tenon/src/transports/http/fixtures/sites.js';
import { findOfficialServer, type HttpPeer, startHttpPeer } from './process.js';

/** The official server makes files available to one session only. */
describe('server-everything behind two gateways without stickiness', () => {
  let peer: HttpPeer;
  let gateways: [GatewayReplica, GatewayReplica];
  beforeAll(async () => {
    peer = await startHttpPeer([findOfficialServer('server-everything'), 'streamableHttp']);
    gateways = await openGateways({ everything: { url: `${peer.origin}/mcp` } }, { prefix: 'never' });
  });
  afterAll(async () => {
    await Promise.all(gateways.map(gateway => gateway.close({ timeout: 0 })));
    await peer.stop();
  });

  it('serves a resource of the session through either of them', async () => {
    const [one, two] = gateways;
    const session = await openSharedSession(one);
    await session.notify(one, 'notifications/initialized');
    let id = 0;
    const request = async (site: Site, method: string, params: object) => {
      id += 1;
      const response = await session.request(site, method, params, id);
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
      const [message] = isStream ? await nextMessages(eventsOf(response), 1) : [await response.json()];
      return (message as { result?: unknown }).result;
    };
    const input = { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' };
    const created = await request(one, 'tools/call', { name: 'gzip-file-as-resource', arguments: input });
    expect(created).toMatchObject({ content: [{ type: 'resource_link', uri: 'demo://resource/session/a.gz' }] });
    for (const site of [two, one])
      expect(await request(site, 'resources/read', { uri: 'demo://resource/session/a.gz' })).toMatchObject({
        contents: [{ uri: 'demo://resource/session/a.gz', blob: expect.any(String) }],
      });
  });
});
