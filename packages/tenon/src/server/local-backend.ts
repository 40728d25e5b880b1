import { describeUnknownName } from '@tenon/base';
import { readLoggingLevel } from '../protocol/content.js';
import { listVersions } from '../protocol/negotiation/classify-request.js';
import { getCapabilitiesFor } from './capabilities.js';
import { finalizeCacheable } from './decode-encode.js';
import { compileTool } from './definitions/compiled-tool.js';
import { completeArgument } from './methods/completion.js';
import { listPrompts, listResources, listTemplates, listTools } from './methods/lists.js';
import { getPrompt } from './methods/prompts.js';
import { createNotFoundError, readResource } from './methods/resources.js';
import { listen } from './methods/subscriptions.js';
import { callTool, runToolHandler } from './methods/tools/call-tool.js';
import type { ServerBackend } from './server-runtime.js';

/**
 * Backend for the server's own registries of tools, prompts and resources. It does not handle `initialize`, because
 * that request opens a session.
 */
export const localBackend: ServerBackend = {
  canShareSessions: true,
  usesRegistries: true,
  methodHandlers: {
    /** @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover */
    async 'server/discover'({ requestContext, server }) {
      const { servedDialects, options } = server;
      const instructions = await server.backend.getInstructions(requestContext, server);
      const result = {
        supportedVersions: listVersions(servedDialects),
        capabilities: getCapabilitiesFor(server, requestContext),
        ...(instructions === undefined ? {} : { instructions }),
      };
      return finalizeCacheable(server, result, options.cache);
    },
    ping: () => ({}),
    'tools/list': listTools,
    'tools/call': callTool,
    'resources/list': listResources,
    'resources/templates/list': listTemplates,
    'resources/read': readResource,
    'resources/subscribe'({ params: { uri }, found, requestContext }) {
      if (found === undefined) throw createNotFoundError(uri, requestContext);
      requestContext.subscriptions?.add(uri);
      return {};
    },
    'resources/unsubscribe'({ params: { uri }, requestContext }) {
      requestContext.subscriptions?.remove(uri);
      return {};
    },
    'prompts/list': listPrompts,
    'prompts/get': getPrompt,
    'completion/complete': completeArgument,
    'logging/setLevel'({ params, requestContext }) {
      const level = readLoggingLevel(params.level);
      if (level !== undefined) requestContext.setLogLevel?.(level);
      return {};
    },
    'subscriptions/listen': listen,
  },
  getInstructions: (_, { instructions }) => instructions,
  getOutputSchema(name, { caller }, { tools }) {
    const tool = tools.find(name, caller);
    return tool && compileTool(name, tool).wire.outputSchema;
  },
  runTool: runToolHandler,
  findObstacle(name, version, { caller }, { tools }) {
    const tool = tools.find(name, caller);
    if (tool === undefined) {
      const names = tools.listFor(caller).map(([each]) => each);
      return describeUnknownName('tool', name, names);
    }
    const ownVersion = compileTool(name, tool).taskOptions?.version;
    return ownVersion === version
      ? undefined
      : `Tool ${name} has another version: expected ${version ?? 'none'}, got ${ownVersion ?? 'none'}`;
  },
};
