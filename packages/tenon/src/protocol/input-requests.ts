import type { JsonObject } from '../jsonrpc/message.js';
import type { AudioContent, ContentBlock, ImageContent, Meta, Role, Root, TextContent, Tool } from './content.js';

/** Requests of a server to a client: sampling, elicitation, roots. */

/** https://modelcontextprotocol.io/specification/2026-07-28/client/sampling */
export interface CreateMessageParams {
  messages: SamplingMessage[];
  modelPreferences?: ModelPreferences | undefined;
  systemPrompt?: string | undefined;
  includeContext?: 'none' | 'thisServer' | 'allServers' | undefined;
  temperature?: number | undefined;
  maxTokens: number;
  stopSequences?: string[] | undefined;
  metadata?: JsonObject | undefined;
  tools?: Tool[] | undefined;
  toolChoice?: { mode?: 'auto' | 'required' | 'none' | undefined } | undefined;
}

export interface ModelPreferences {
  hints?: { name?: string | undefined }[] | undefined;
  /** Each priority is 0 to 1. */
  costPriority?: number | undefined;
  speedPriority?: number | undefined;
  intelligencePriority?: number | undefined;
}

export interface SamplingMessage {
  role: Role;
  content: SamplingContent | SamplingContent[];
  _meta?: Meta | undefined;
}

export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

export interface ToolUseContent {
  type: 'tool_use';
  id: string;
  name: string;
  input: JsonObject;
  _meta?: Meta | undefined;
}

export interface ToolResultContent {
  type: 'tool_result';
  toolUseId: string;
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: Meta | undefined;
}

export interface CreateMessageResult extends SamplingMessage {
  model: string;
  stopReason?: 'endTurn' | 'stopSequence' | 'maxTokens' | 'toolUse' | (string & {}) | undefined;
}

/** https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation */
export type ElicitParams = ElicitFormParams | ElicitUrlParams;

export interface ElicitFormParams {
  mode?: 'form' | undefined;
  message: string;
  requestedSchema: FormSchema;
}

export interface ElicitUrlParams {
  mode: 'url';
  message: string;
  url: string;
  /** Names the elicitation in its completion notice, in the revisions that have one. */
  elicitationId?: string | undefined;
}

/** A flat object of simple fields: what a form can show. */
export interface FormSchema {
  $schema?: string | undefined;
  type: 'object';
  properties: { [name: string]: FieldSchema };
  required?: string[] | undefined;
}

export type FieldSchema = StringField | NumberField | BooleanField | ChoiceField | ChoicesField;

interface Field {
  title?: string | undefined;
  description?: string | undefined;
}

export interface StringField extends Field {
  type: 'string';
  minLength?: number | undefined;
  maxLength?: number | undefined;
  format?: 'email' | 'uri' | 'date' | 'date-time' | undefined;
  default?: string | undefined;
}

export interface NumberField extends Field {
  type: 'number' | 'integer';
  minimum?: number | undefined;
  maximum?: number | undefined;
  default?: number | undefined;
}

export interface BooleanField extends Field {
  type: 'boolean';
  default?: boolean | undefined;
}

/** One of several: plain, with titles, or with the names of the revisions before titles. */
export interface ChoiceField extends Field {
  type: 'string';
  enum?: string[] | undefined;
  enumNames?: string[] | undefined;
  oneOf?: { const: string; title: string }[] | undefined;
  default?: string | undefined;
}

/** Any of several. */
export interface ChoicesField extends Field {
  type: 'array';
  minItems?: number | undefined;
  maxItems?: number | undefined;
  items: { type: 'string'; enum: string[] } | { anyOf: { const: string; title: string }[] };
  default?: string[] | undefined;
}

export type FormValue = string | number | boolean | string[];

export interface ElicitResult {
  action: 'accept' | 'decline' | 'cancel';
  /** Present when a form was accepted. */
  content?: { [name: string]: FormValue } | undefined;
  _meta?: Meta | undefined;
}

/** https://modelcontextprotocol.io/specification/2026-07-28/client/roots */
export interface ListRootsResult {
  roots: Root[];
  _meta?: Meta | undefined;
}

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr */
export type InputRequest =
  | { method: 'elicitation/create'; params: ElicitParams }
  | { method: 'sampling/createMessage'; params: CreateMessageParams }
  | { method: 'roots/list'; params?: { _meta?: Meta | undefined } | undefined };

export type InputRequests = { [key: string]: InputRequest };
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;
export type InputResponses = { [key: string]: InputResponse };

/** A result that asks the client for more, then for the same request again. */
export interface InputRequiredResult {
  resultType: 'input_required';
  inputRequests?: InputRequests | undefined;
  /** Opaque to the client, which gives it back byte for byte. To be protected by who makes it: it comes back from anyone. */
  requestState?: string | undefined;
  _meta?: Meta | undefined;
}
