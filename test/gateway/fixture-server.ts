import { createServer, type Server, tasks } from 'tenon';
import { asking } from '../revisions/server-asking.js';
import { changing } from '../revisions/server-changing.js';
import { prompts } from '../revisions/server-prompts.js';
import { resources } from '../revisions/server-resources.js';
import { tools } from '../revisions/server-tools.js';
import { deedTools } from './fixture-deeds.js';
import { taskTools } from './fixture-tasks.js';

/** Entries per page of its lists: each of them has several pages. */
export const PAGE = 6;

/** One server with every feature that is to cross a gateway. Speaks the revisions that it is told to. */
export function createFixture(revisions?: readonly string[]) {
  let self: Server | undefined;
  const server = createServer({
    name: 'fixture',
    version: '1.2.3',
    title: 'Fixture',
    instructions: 'Ask before you act.',
    tools: {
      ...tools,
      ...asking,
      ...changing(() => self as Server),
      ...deedTools(() => self as Server),
      ...taskTools(),
    },
    prompts,
    resources: resources as never,
    extensions: [tasks({ list: true, pollInterval: 20 })],
    pageSize: PAGE,
    ...(revisions ? { revisions } : {}),
    onProblem: () => {},
  });
  self = server as never;
  return server;
}

export type Fixture = ReturnType<typeof createFixture>;
