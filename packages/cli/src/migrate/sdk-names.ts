/** Names of the official SDK, versions 1 and 2, and their equivalents. */

/** Packages of the official SDK. Version 1 is one package, version 2 several. */
const SDK_MODULE = /^@modelcontextprotocol\/(?:sdk|server|client|core|node|express|hono|fastify)(?:\/|$)/;

export const isSdkModule = (specifier: string): boolean => SDK_MODULE.test(specifier);

/** Packages that a migrated project no longer needs. */
export const isSdkPackage = (name: string): boolean => isSdkModule(name) && !name.endsWith('/client');

/** Types of the SDK and the type of `tenon` that has the same members. */
export const TYPES: Readonly<Record<string, string>> = {
  McpServer: 'Server',
  Server: 'Server',
  RequestHandlerExtra: 'Context',
  ServerContext: 'Context',
  CallToolResult: 'CallToolResult',
  GetPromptResult: 'GetPromptResult',
  ReadResourceResult: 'ReadResourceResult',
  Tool: 'Tool',
  Prompt: 'Prompt',
  Resource: 'Resource',
  ResourceTemplateType: 'ResourceTemplate',
  TextContent: 'TextContent',
  ImageContent: 'ImageContent',
  AudioContent: 'AudioContent',
  EmbeddedResource: 'EmbeddedResource',
  ResourceLink: 'ResourceLink',
  ContentBlock: 'ContentBlock',
  ToolAnnotations: 'ToolAnnotations',
  PromptMessage: 'PromptMessage',
  Implementation: 'Implementation',
  LoggingLevel: 'LoggingLevel',
  Root: 'Root',
  Icon: 'Icon',
  ElicitResult: 'ElicitResult',
  CreateMessageResult: 'CreateMessageResult',
  SamplingMessage: 'SamplingMessage',
  ServerCapabilities: 'ServerCapabilities',
  ClientCapabilities: 'ClientCapabilities',
  AuthInfo: 'AuthInfo',
  Transport: 'Transport',
};

/** Members of `ErrorCode` and `ProtocolErrorCode`. */
export const ERROR_CODES: Readonly<Record<string, number>> = {
  ConnectionClosed: -32000,
  RequestTimeout: -32001,
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  ResourceNotFound: -32002,
  UrlElicitationRequired: -32042,
};

/** Constants of the protocol that the SDK exports, and their values. */
export const CONSTANTS: Readonly<Record<string, string | number>> = {
  BAGGAGE_META_KEY: 'baggage',
  CLIENT_CAPABILITIES_META_KEY: 'io.modelcontextprotocol/clientCapabilities',
  CLIENT_INFO_META_KEY: 'io.modelcontextprotocol/clientInfo',
  LOG_LEVEL_META_KEY: 'io.modelcontextprotocol/logLevel',
  PROTOCOL_VERSION_META_KEY: 'io.modelcontextprotocol/protocolVersion',
  RELATED_TASK_META_KEY: 'io.modelcontextprotocol/related-task',
  SERVER_INFO_META_KEY: 'io.modelcontextprotocol/serverInfo',
  SUBSCRIPTION_ID_META_KEY: 'io.modelcontextprotocol/subscriptionId',
  TRACEPARENT_META_KEY: 'traceparent',
  TRACESTATE_META_KEY: 'tracestate',
  JSONRPC_VERSION: '2.0',
  INTERNAL_ERROR: -32603,
  INVALID_PARAMS: -32602,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  PARSE_ERROR: -32700,
};

/** Methods of the schemas that version 1 passes to `setRequestHandler`. Version 2 passes the method. */
export const REQUEST_SCHEMAS: Readonly<Record<string, string>> = {
  ListToolsRequestSchema: 'tools/list',
  CallToolRequestSchema: 'tools/call',
  ListPromptsRequestSchema: 'prompts/list',
  GetPromptRequestSchema: 'prompts/get',
  ListResourcesRequestSchema: 'resources/list',
  ListResourceTemplatesRequestSchema: 'resources/templates/list',
  ReadResourceRequestSchema: 'resources/read',
  SubscribeRequestSchema: 'resources/subscribe',
  UnsubscribeRequestSchema: 'resources/unsubscribe',
  CompleteRequestSchema: 'completion/complete',
  SetLevelRequestSchema: 'logging/setLevel',
  PingRequestSchema: 'ping',
};

/** Members of `ToolAnnotations`, by which an argument of `server.tool` is recognized. */
export const ANNOTATION_KEYS: ReadonlySet<string> = new Set([
  'title',
  'readOnlyHint',
  'destructiveHint',
  'idempotentHint',
  'openWorldHint',
]);
