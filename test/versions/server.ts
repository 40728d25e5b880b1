import { createServer, type Server, type ServerDefinition } from 'tenon';
import { askingTools } from './server-asking.js';
import { createChangingTools } from './server-changing.js';
import { prompts } from './server-prompts.js';
import { resources } from './server-resources.js';
import { tools } from './server-tools.js';

/** What differs between the servers of two tests. Crosses to a child process as JSON. */
export interface ExampleOptions {
  /** A server that offers tools only, and no logging. */
  readonly toolsOnly?: boolean;
  /** A server that offers nothing at all. */
  readonly nothing?: boolean;
  readonly versions?: readonly string[];
  readonly pageSize?: number;
  readonly cache?: ServerDefinition['cache'];
  readonly inputRequests?: ServerDefinition['inputRequests'];
}

const extension = 'com.example/notes';

/** One server with every feature of every protocol version. */
export function createExample(options: ExampleOptions = {}) {
  const {
    toolsOnly = false,
    nothing = false,
    versions: protocolVersions,
    pageSize = 1000,
    cache,
    inputRequests,
  } = options;
  let self: Server | undefined;
  const server = createServer({
    name: 'example',
    version: '1.2.3',
    title: 'Example',
    description: 'Has one of everything',
    websiteUrl: 'https://example.com',
    icons: [{ src: 'https://example.com/i.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }],
    instructions: 'Ask before you act.',
    tools: { ...tools, ...askingTools, ...createChangingTools(() => self as Server) },
    ...(toolsOnly || nothing ? { logging: false } : { prompts, resources: resources as never }),
    extensions: [{ id: extension, settings: { colours: true } }],
    experimental: { thing: { on: true } },
    methods: {
      'notes/count': { extension, run: () => ({ count: 3 }) },
      'com.example/echo': { run: (params: never) => ({ said: params }) as never },
    },
    pageSize,
    ...(protocolVersions ? { protocolVersions } : {}),
    ...(cache ? { cache } : {}),
    ...(inputRequests ? { inputRequests } : {}),
    onError: () => {},
  });
  self = server as never;
  if (nothing) return emptied as never as typeof server;
  return server;
}

const emptied = createServer({ name: 'empty', version: '0', logging: false, onError: () => {} });

export type Example = ReturnType<typeof createExample>;
