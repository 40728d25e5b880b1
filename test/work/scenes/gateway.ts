import { connect } from 'tenon';
import { createHost } from 'tenon/host';
import { amid, many, named, type Scenes, SIZES } from '../scene.js';
import { serverWith, toolAmong, toolsOf } from './offers.js';

/** What costs the same through a gateway, however much is behind it or in front of it. */
export const gateway: Scenes = {
  'a call through a gateway, with so many tools': { sizes: SIZES, prepare: tools => throughGateway({ tools }) },
  'a call through a gateway, with so many servers': {
    sizes: [2, 11, 101],
    prepare: servers => throughGateway({ servers }),
  },
  'a call through a gateway, with so many other sessions': {
    sizes: SIZES,
    prepare: others => throughGateway({ others }),
  },
  'a session that is opened at a gateway, with so many others': {
    sizes: SIZES,
    prepare: async others => {
      const { open, close } = await throughGateway({ others });
      return { close, once: async () => (await open()).close() };
    },
  },
};

async function throughGateway({ tools = 10, servers = 3, others = 0 }) {
  const behind = many(servers, 'server', () => ({ service: serverWith({ tools: toolsOf(tools) }) }));
  const host = await createHost({ servers: behind, maxLines: 10_000 });
  const tool = `${named('server', amid(servers))}__${toolAmong(tools)}`;
  const open = () => connect(host.asServer(), { revision: '2025-11-25' });
  const clients = await Promise.all(Array.from({ length: others + 1 }, open));
  for (const client of clients) await client.callTool(tool, { text: 'hello' });
  const client = clients[amid(others)];
  return { open, once: async () => client?.callTool(tool, { text: 'hello' }), close: () => host.close() };
}
