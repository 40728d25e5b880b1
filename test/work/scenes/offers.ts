import { createServer, on, prompt, resource, type Server, type ServerOptions, tool } from 'tenon';
import { roads } from '../roads.js';
import { amid, many, named, type Scenes, SIZES } from '../scene.js';

const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
const run = ({ text }: { text: string }) => text;
const echo = () => tool({ description: 'Says it again', input, run });
const letter = () => prompt({ input, run });
const note = () => resource({ read: ({ uri }) => uri });

/** A server with ten tools, and what else is said. */
export function serverWith(definition: Partial<Parameters<typeof createServer>[0]> = {}): Server {
  return createServer({ name: 'counted', version: '1.0.0', tools: toolsOf(10), ...definition } as never);
}

export const toolsOf = (size: number) => many(size, 'tool', echo);
export const resourcesOf = (size: number) => many(size, 'note://', note);

type Request = readonly [method: string, params: { readonly [name: string]: unknown }];

const callAmong = (tools: number): Request => ['tools/call', { name: toolAmong(tools), arguments: { text: 'hello' } }];
const getAmong = (prompts: number): Request => [
  'prompts/get',
  { name: named('prompt', amid(prompts)), arguments: { text: 'hello' } },
];
const readAmong = (resources: number): Request => ['resources/read', { uri: named('note://', amid(resources)) }];
const list = (): Request => ['tools/list', {}];
const readByTemplate = (): Request => ['resources/read', { uri: 'made://hello' }];

export const toolAmong = (tools: number): string => named('tool', amid(tools));
/** Of a server with ten tools. */
export const CALL = callAmong(10);

const template = { 'made://{text}': note() };
const templatesOf = (size: number) =>
  Object.fromEntries(Array.from({ length: size }, (_, at) => [`${named('other', at)}://{text}`, note()]));
const layer: NonNullable<ServerOptions['use']>[number] = (operation, next) => next(operation);

/** What costs the same however much the server offers beside it. */
export const offers: Scenes = {
  ...onEachRoad('a call, with so many tools', size => serverWith({ tools: toolsOf(size) }), callAmong),
  ...onEachRoad(
    'a prompt, with so many prompts',
    size => serverWith({ prompts: many(size, 'prompt', letter) }),
    getAmong,
  ),
  ...onEachRoad('a resource, with so many resources', size => serverWith({ resources: resourcesOf(size) }), readAmong),
  ...onEachRoad(
    'a resource of a template, with so many resources',
    size => serverWith({ resources: { ...resourcesOf(size), ...template } }),
    readByTemplate,
  ),
  ...onEachRoad(
    'a call, with so many layers around other methods',
    size => serverWith({ use: Array.from({ length: size }, () => on('prompts/get', layer)) }),
    () => CALL,
  ),
  ...onEachRoad(
    'the list of ten tools, with so many resources',
    size => serverWith({ resources: resourcesOf(size) }),
    list,
  ),
};

/** What is told again as it was told before: more of it is longer, and no more work to make. */
export const toldAgain: Scenes = onEachRoad(
  'the list of so many tools, told before',
  size => serverWith({ tools: toolsOf(size) }),
  list,
);

/** What may cost as much as there is of what it goes through. */
export const goneThrough: Scenes = {
  ...onEachRoad(
    'a resource of a template, after so many other templates',
    size => serverWith({ resources: { ...templatesOf(size), ...template } }),
    readByTemplate,
  ),
};

function onEachRoad(what: string, serve: (size: number) => Server, request: (size: number) => Request): Scenes {
  return Object.fromEntries(
    Object.entries(roads).map(([name, road]) => [
      `${what}: ${name}`,
      {
        sizes: SIZES,
        async prepare(size) {
          const way = await road(serve(size));
          const asked = request(size);
          return { once: () => way.request(...asked), close: () => way.close() };
        },
      },
    ]),
  );
}
