import { createHost } from '@tenon/host';
import { connect, type Server } from 'tenon';
import { createMany, formatName, pickMiddle, SIZES, type Workloads } from '../workload.js';
import { createTestServer, createTools, forEachConnection, getMiddleTool } from './offers.js';

/** Work of a gateway whose cost does not depend on the number of its servers, tools and sessions. */
export const gatewayWorkloads: Workloads = {
  'a call through a gateway of N tools': { sizes: SIZES, prepare: tools => prepareGateway({ tools }) },
  'a call through a gateway of N servers': {
    sizes: [2, 11, 101],
    prepare: servers => prepareGateway({ servers }),
  },
  'a call through a gateway beside N other sessions': {
    sizes: SIZES,
    prepare: others => prepareGateway({ others }),
  },
  'a new session of a gateway beside N others': {
    sizes: SIZES,
    prepare: async others => {
      const { open, close } = await prepareGateway({ others });
      return { close, run: async () => (await open()).close() };
    },
  },
};

/** The merged list is serialized once until it changes. */
export const gatewayListWorkloads: Workloads = forEachConnection(
  'tools/list of N tools through a gateway, sent before',
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
  return { open, run: async () => client?.callTool(tool, { text: 'hello' }), close: () => host.close() };
}
