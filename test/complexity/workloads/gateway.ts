import { createHost } from '@tenon/host';
import { connect, type Server } from 'tenon';
import { createMany, formatName, pickMiddle, SIZES, type Workloads } from '../workload.js';
import { createTestServer, createTools, forEachConnection, getMiddleTool } from './offers.js';

/** What costs the same through a gateway, however much is behind it or in front of it. */
export const gatewayWorkloads: Workloads = {
  'a call through a gateway, with so many tools': { sizes: SIZES, prepare: tools => prepareGateway({ tools }) },
  'a call through a gateway, with so many servers': {
    sizes: [2, 11, 101],
    prepare: servers => prepareGateway({ servers }),
  },
  'a call through a gateway, with so many other sessions': {
    sizes: SIZES,
    prepare: others => prepareGateway({ others }),
  },
  'a session that is opened at a gateway, with so many others': {
    sizes: SIZES,
    prepare: async others => {
      const { open, close } = await prepareGateway({ others });
      return { close, once: async () => (await open()).close() };
    },
  },
};

/** The merged list is sent in the same words until it changes: more tools are longer, and no more work. */
export const gatewayListWorkloads: Workloads = forEachConnection(
  'the list of so many tools through a gateway, told before',
  async size => {
    const servers = createMany(2, 'server', () => ({ service: createTestServer({ tools: createTools(size / 2) }) }));
    return (await createHost({ servers })).toServer() as Server;
  },
  () => ['tools/list', {}],
);

async function prepareGateway({ tools = 10, servers = 3, others = 0 }) {
  const behind = createMany(servers, 'server', () => ({ service: createTestServer({ tools: createTools(tools) }) }));
  const host = await createHost({ servers: behind, maxConnectionsPerServer: 10_000 });
  const tool = `${formatName('server', pickMiddle(servers))}__${getMiddleTool(tools)}`;
  const open = () => connect(host.toServer(), { protocolVersion: '2025-11-25' });
  const clients = await Promise.all(Array.from({ length: others + 1 }, open));
  for (const client of clients) await client.callTool(tool, { text: 'hello' });
  const client = clients[pickMiddle(others)];
  return { open, once: async () => client?.callTool(tool, { text: 'hello' }), close: () => host.close() };
}
