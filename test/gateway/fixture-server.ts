import { createServer, type Server, tasks } from 'tenon';
import { askingTools } from '../versions/server-asking.js';
import { createChangingTools } from '../versions/server-changing.js';
import { prompts } from '../versions/server-prompts.js';
import { resources } from '../versions/server-resources.js';
import { tools } from '../versions/server-tools.js';
import { createActionTools } from './fixture-actions.js';
import { createTaskTools } from './fixture-tasks.js';

/** Entries per page of its lists: each of them has several pages. */
export const PAGE = 6;

/** One server with every feature that is to cross a gateway. Speaks the protocol versions that it is told to. */
export function createFixture(protocolVersions?: readonly string[]) {
  let self: Server | undefined;
  const server = createServer({
    name: 'fixture',
    version: '1.2.3',
    title: 'Fixture',
    instructions: 'Ask before you act.',
    tools: {
      ...tools,
      ...askingTools,
      ...createChangingTools(() => self as Server),
      ...createActionTools(() => self as Server),
      ...createTaskTools(),
    },
    prompts,
    resources: resources as never,
    extensions: [tasks({ list: true, pollInterval: 20 })],
    pageSize: PAGE,
    ...(protocolVersions ? { protocolVersions } : {}),
    onError: () => {},
  });
  self = server as never;
  return server;
}

export type Fixture = ReturnType<typeof createFixture>;
