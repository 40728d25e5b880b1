import { createServer, forMethod, prompt, resource, type Server, type ServerOptions, tool } from 'tenon';
import { connections } from '../connections.js';
import { createMany, formatName, pickMiddle, SIZES, type Workloads } from '../workload.js';

const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
const run = ({ text }: { text: string }) => text;
const echo = () => tool({ description: 'Returns the text', input, run });
const letter = () => prompt({ input, run });
const note = () => resource({ read: ({ uri }) => uri });

/** Creates a server with ten tools, if the definition names no others. */
export function createTestServer(definition: Partial<Parameters<typeof createServer>[0]> = {}): Server {
  return createServer({ name: 'counted', version: '1.0.0', tools: createTools(10), ...definition } as never);
}

export const createTools = (size: number) => createMany(size, 'tool', echo);
export const createResources = (size: number) => createMany(size, 'note://', note);

type Request = readonly [method: string, params: { readonly [name: string]: unknown }];

const createCall = (tools: number): Request => [
  'tools/call',
  { name: getMiddleTool(tools), arguments: { text: 'hello' } },
];
const createGet = (prompts: number): Request => [
  'prompts/get',
  { name: formatName('prompt', pickMiddle(prompts)), arguments: { text: 'hello' } },
];
const createRead = (resources: number): Request => [
  'resources/read',
  { uri: formatName('note://', pickMiddle(resources)) },
];
const list = (): Request => ['tools/list', {}];
const readByTemplate = (): Request => ['resources/read', { uri: 'made://hello' }];

export const getMiddleTool = (tools: number): string => formatName('tool', pickMiddle(tools));
/** Of a server with ten tools. */
export const CALL = createCall(10);

const template = { 'made://{text}': note() };
const createTemplates = (size: number) =>
  Object.fromEntries(Array.from({ length: size }, (_, at) => [`${formatName('other', at)}://{text}`, note()]));
const layer: NonNullable<ServerOptions['use']>[number] = (operation, next) => next(operation);

/** Requests whose cost does not depend on what else the server offers. */
export const offerWorkloads: Workloads = {
  ...forEachConnection('tools/call among N tools', size => createTestServer({ tools: createTools(size) }), createCall),
  ...forEachConnection(
    'prompts/get among N prompts',
    size => createTestServer({ prompts: createMany(size, 'prompt', letter) }),
    createGet,
  ),
  ...forEachConnection(
    'resources/read among N resources',
    size => createTestServer({ resources: createResources(size) }),
    createRead,
  ),
  ...forEachConnection(
    'resources/read by a template beside N resources',
    size => createTestServer({ resources: { ...createResources(size), ...template } }),
    readByTemplate,
  ),
  ...forEachConnection(
    'resources/read by a template after N others',
    size => createTestServer({ resources: { ...createTemplates(size), ...template } }),
    readByTemplate,
  ),
  ...forEachConnection(
    'tools/call beside N middlewares of another method',
    size => createTestServer({ use: Array.from({ length: size }, () => forMethod('prompts/get', layer)) }),
    () => CALL,
  ),
  ...forEachConnection(
    'tools/list of ten tools beside N resources',
    size => createTestServer({ resources: createResources(size) }),
    list,
  ),
};

/** The list is serialized once until it changes. */
export const listWorkloads: Workloads = forEachConnection(
  'tools/list of N tools, sent before',
  size => createTestServer({ tools: createTools(size) }),
  list,
);

export function forEachConnection(
  what: string,
  serve: (size: number) => Server | Promise<Server>,
  request: (size: number) => Request,
): Workloads {
  return Object.fromEntries(
    Object.entries(connections).map(([name, connect]) => [
      `${what}: ${name}`,
      {
        sizes: SIZES,
        async prepare(size) {
          const mode = await connect(await serve(size));
          const requests = request(size);
          return { run: () => mode.request(...requests), close: () => mode.close() };
        },
      },
    ]),
  );
}
