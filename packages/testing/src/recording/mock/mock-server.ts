import {
  checkOneOf,
  checkOptional,
  checkString,
  INVALID_PARAMS,
  isObject,
  type JsonObject,
  requireArgument,
  requirePresentOptions,
  rpcError,
} from '@tenon/base';
import type { Server } from 'tenon';
import { createPageResult, createProxyServer, type ProxyBackend, type ProxyCall } from 'tenon/proxy';
import { createNotFoundError, parseTemplate } from 'tenon/testing-internals';
import { optionalSeed, optionalText } from '../../option-checks.js';
import { MockAnswers, type UnrecordedAnswer } from './mock-answers.js';
import { type Definition, type MockSource, parseMockSource } from './mock-source.js';
import { createRandom } from './random.js';

/** Options of `createMockServer`. */
export interface MockServerOptions {
  /**
   * Answer to a request without an equal recorded one. `generate` makes a value from the output schema of the tool,
   * else repeats the answer to the most similar request. `refuse` answers with an error.
   * @default `generate`
   */
  readonly unrecorded?: UnrecordedAnswer | undefined;
  /**
   * Number from which the generated values follow. The same number gives the same values.
   * @default 1
   */
  readonly seed?: number | undefined;
  /**
   * Name of the server, if the file has several.
   * @default the only server of the file
   */
  readonly server?: string | undefined;
}

/**
 * Creates a server with the tools, prompts and resources of another one. It gives the recorded answers, and values that
 * match the output schema where there is none. It supports every protocol version.
 *
 * @param source Content of a recording, of a lock file, or the output of `tenon list --json`.
 * @throws TenonError `mock/source` when the text is none of them, or `recording/…`.
 */
export function createMockServer(source: string, options: MockServerOptions = {}): Server {
  requireArgument('`source` of createMockServer', source, checkString);
  requirePresentOptions<MockServerOptions>('createMockServer', options, {
    unrecorded: checkOptional(checkOneOf('generate', 'refuse')),
    seed: optionalSeed,
    server: optionalText,
  });
  const parsed = parseMockSource(source, options.server);
  const { name = 'mock', version = '0.0.0', instructions } = parsed;
  const answers = new MockAnswers(parsed, options.unrecorded ?? 'generate', createRandom(options.seed ?? 1));
  const definition = { name, version, ...(instructions === undefined ? {} : { instructions }) };
  return createProxyServer(definition, createMockBackend(parsed, answers));
}

function createMockBackend(source: MockSource, answers: MockAnswers): ProxyBackend {
  const list = (key: ListKey) => (call: ListCall) =>
    createPageResult(call, {
      key,
      all: source[key],
      getKey: getDefinitionKey,
      cursor: call.params.cursor ?? '',
    });
  const hasResources = source.resources.length + source.resourceTemplates.length > 0;
  return {
    methodHandlers: {
      'tools/list': list('tools'),
      'prompts/list': list('prompts'),
      'resources/list': list('resources'),
      'resources/templates/list': list('resourceTemplates'),
      'tools/call': ({ params }) =>
        answers.callTool(requireDefinition(source.tools, 'tool', params.name), { ...params }),
      'prompts/get': ({ params }) =>
        answers.getPrompt(requireDefinition(source.prompts, 'prompt', params.name), { ...params }),
      'resources/read'({ params, requestContext }) {
        const resource = findResource(source, params.uri);
        if (resource === undefined) throw createNotFoundError(params.uri, requestContext);
        return { ...answers.readResource(resource, { ...params }), ttlMs: 0, cacheScope: 'private' };
      },
      'completion/complete': ({ params }) => answers.complete({ ...params }),
    },
    capabilities: {
      ...(source.tools.length > 0 ? { tools: {} } : {}),
      ...(source.prompts.length > 0 ? { prompts: {}, completions: {} } : {}),
      ...(hasResources ? { resources: { subscribe: true }, completions: {} } : {}),
    },
    getInstructions: () => source.instructions,
    getOutputSchema(toolName) {
      const tool = source.tools.find(({ name }) => name === toolName);
      return isObject(tool?.outputSchema) ? tool.outputSchema : undefined;
    },
    runTool: ({ params }) => answers.callTool(requireDefinition(source.tools, 'tool', params.name), params),
    findObstacle: () => undefined,
  };
}

type ListCall = ProxyCall<'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list'>;
type ListKey = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

const getDefinitionKey = ({ name, uri, uriTemplate }: Definition): string => String(uri ?? uriTemplate ?? name);

function requireDefinition(definitions: readonly Definition[], kind: string, wanted: unknown): Definition {
  const found = definitions.find(({ name }) => name === wanted);
  if (found) return found;
  throw rpcError(INVALID_PARAMS, `Unknown ${kind}: ${String(wanted).slice(0, 128)}`);
}

function findResource({ resources, resourceTemplates }: MockSource, wanted: string): JsonObject | undefined {
  const exact = resources.find(({ uri }) => uri === wanted);
  if (exact) return exact;
  return resourceTemplates.find(
    ({ uriTemplate }) => typeof uriTemplate === 'string' && matchesTemplate(uriTemplate, wanted),
  );
}

function matchesTemplate(template: string, uri: string): boolean {
  try {
    return parseTemplate(template).match(uri) !== undefined;
  } catch {
    // The template of another server may be invalid.
    return false;
  }
}
