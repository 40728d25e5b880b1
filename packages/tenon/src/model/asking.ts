import type { JsonObject } from '../jsonrpc/message.js';
import type { AudioContent, ContentBlock, ImageContent, Meta, Role, Root, TextContent, Tool } from './content.js';

/** What a server may ask of a client: sampling, elicitation, roots. */

/** https://modelcontextprotocol.io/specification/2026-07-28/client/sampling */
export interface CreateMessageParams {
  messages: SamplingMessage[];
  modelPreferences?: ModelPreferences;
  systemPrompt?: string;
  includeContext?: 'none' | 'thisServer' | 'allServers';
  temperature?: number;
  maxTokens: number;
  stopSequences?: string[];
  metadata?: JsonObject;
  tools?: Tool[];
  toolChoice?: { mode?: 'auto' | 'required' | 'none' };
}

export interface ModelPreferences {
  hints?: { name?: string }[];
  /** Each priority is 0 to 1. */
  costPriority?: number;
  speedPriority?: number;
  intelligencePriority?: number;
}

export interface SamplingMessage {
  role: Role;
  content: SamplingContent | SamplingContent[];
  _meta?: Meta;
}

export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

export interface ToolUseContent {
  type: 'tool_use';
  id: string;
  name: string;
  input: JsonObject;
  _meta?: Meta;
}

export interface ToolResultContent {
  type: 'tool_result';
  toolUseId: string;
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Meta;
}

export interface CreateMessageResult extends SamplingMessage {
  model: string;
  stopReason?: 'endTurn' | 'stopSequence' | 'maxTokens' | 'toolUse' | (string & {});
}

/** https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation */
export type ElicitParams = ElicitFormParams | ElicitUrlParams;

export interface ElicitFormParams {
  mode?: 'form';
  message: string;
  requestedSchema: FormSchema;
}

export interface ElicitUrlParams {
  mode: 'url';
  message: string;
  url: string;
  /** Names the elicitation in its completion notice, in the revisions that have one. */
  elicitationId?: string;
}

/** A flat object of simple fields: what a form can show. */
export interface FormSchema {
  $schema?: string;
  type: 'object';
  properties: { [name: string]: FieldSchema };
  required?: string[];
}

export type FieldSchema = StringField | NumberField | BooleanField | ChoiceField | ChoicesField;

interface Field {
  title?: string;
  description?: string;
}

export interface StringField extends Field {
  type: 'string';
  minLength?: number;
  maxLength?: number;
  format?: 'email' | 'uri' | 'date' | 'date-time';
  default?: string;
}

export interface NumberField extends Field {
  type: 'number' | 'integer';
  minimum?: number;
  maximum?: number;
  default?: number;
}

export interface BooleanField extends Field {
  type: 'boolean';
  default?: boolean;
}

/** One of several: plain, with titles, or with the names of the revisions before titles. */
export interface ChoiceField extends Field {
  type: 'string';
  enum?: string[];
  enumNames?: string[];
  oneOf?: { const: string; title: string }[];
  default?: string;
}

/** Any of several. */
export interface ChoicesField extends Field {
  type: 'array';
  minItems?: number;
  maxItems?: number;
  items: { type: 'string'; enum: string[] } | { anyOf: { const: string; title: string }[] };
  default?: string[];
}

export type FormValue = string | number | boolean | string[];

export interface ElicitResult {
  action: 'accept' | 'decline' | 'cancel';
  /** Present when a form was accepted. */
  content?: { [name: string]: FormValue };
  _meta?: Meta;
}

/** https://modelcontextprotocol.io/specification/2026-07-28/client/roots */
export interface ListRootsResult {
  roots: Root[];
  _meta?: Meta;
}

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr */
export type InputRequest =
  | { method: 'elicitation/create'; params: ElicitParams }
  | { method: 'sampling/createMessage'; params: CreateMessageParams }
  | { method: 'roots/list'; params?: { _meta?: Meta } };

export type InputRequests = { [key: string]: InputRequest };
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;
export type InputResponses = { [key: string]: InputResponse };

/** A result that asks the client for more, then for the same request again. */
export interface InputRequiredResult {
  resultType: 'input_required';
  inputRequests?: InputRequests;
  /** Opaque to the client, which gives it back byte for byte. To be protected by who makes it: it comes back from anyone. */
  requestState?: string;
  _meta?: Meta;
}
