import type { VersionDefinition } from './define-version.js';

/**
 * The first protocol version, as a complete definition.
 * @see https://modelcontextprotocol.io/specification/2024-11-05
 */
export const v20241105: VersionDefinition = {
  protocolVersion: '2024-11-05',
  opening: 'handshake',
  inputRequests: 'by-request',
  subscriptions: 'by-subscribe',
  tasks: undefined,
  http: {
    batches: false,
    sessions: true,
    versionHeader: false,
    mirrorHeaders: false,
    priming: false,
    closeCancels: false,
    isFallbackStatus: status => status >= 400 && status < 500,
  },
  errors: { resourceNotFound: -32002, invalidArguments: 'error', unreadableId: null },
  methods: {
    client: new Set([
      'initialize',
      'ping',
      'tools/list',
      'tools/call',
      'resources/list',
      'resources/templates/list',
      'resources/read',
      'resources/subscribe',
      'resources/unsubscribe',
      'prompts/list',
      'prompts/get',
      'completion/complete',
      'logging/setLevel',
      'notifications/initialized',
      'notifications/cancelled',
      'notifications/progress',
      'notifications/roots/list_changed',
    ]),
    server: new Set([
      'ping',
      'sampling/createMessage',
      'roots/list',
      'notifications/cancelled',
      'notifications/progress',
      'notifications/message',
      'notifications/resources/updated',
      'notifications/resources/list_changed',
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
    ]),
  },
  changes: [],
};
