import type { JsonObject } from '@tenon/base';
import type { AudioContent, ContentBlock, ImageContent, Meta, Role, Root, TextContent, Tool } from './content.js';

/** Requests from server to client: sampling, elicitation, roots. */

/**
 * Params of a sampling request.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
 */
export interface CreateMessageParams {
  /** The conversation so far. */
  messages: SamplingMessage[];
  /** Hints for the choice of a model. The client decides. */
  modelPreferences?: ModelPreferences | undefined;
  /** System prompt that the server requests. Clients may ignore it. */
  systemPrompt?: string | undefined;
  /** Context of servers to include. Deprecated in 2025-11-25. */
  includeContext?: 'none' | 'thisServer' | 'allServers' | undefined;
  /** Randomness of the generation. Its range depends on the model. */
  temperature?: number | undefined;
  /** Maximum number of tokens to generate. */
  maxTokens: number;
  /** Texts at which the generation stops. */
  stopSequences?: string[] | undefined;
  /** Data for the model provider. */
  metadata?: JsonObject | undefined;
  /** Tools that the model may use. */
  tools?: Tool[] | undefined;
  /** Tells if the model may, must or must not use tools. */
  toolChoice?: { mode?: 'auto' | 'required' | 'none' | undefined } | undefined;
}

export interface ModelPreferences {
  hints?: { name?: string | undefined }[] | undefined;
  /** Priority of low cost, from 0 to 1. The other priorities have the same range. */
  costPriority?: number | undefined;
  speedPriority?: number | undefined;
  intelligencePriority?: number | undefined;
}

/** A message of a sampling request. It has one or more blocks of content. */
export interface SamplingMessage {
  /** Author of the message: the user or the model. */
  role: Role;
  /** Text, images, audio, tool calls and tool results. */
  content: SamplingContent | SamplingContent[];
  /** Metadata, passed on unchanged. */
  _meta?: Meta | undefined;
}

/** A block of content in a sampling message. */
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

/** A message that a model generated. */
export interface CreateMessageResult extends SamplingMessage {
  /** Name of the model that generated the message. */
  model: string;
  /** Reason why the generation stopped. */
  stopReason?: 'endTurn' | 'stopSequence' | 'maxTokens' | 'toolUse' | (string & {}) | undefined;
}

/**
 * Params of an elicitation: a form or a URL.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 */
export type ElicitParams = ElicitFormParams | ElicitUrlParams;

/** A form for the user to fill in. */
export interface ElicitFormParams {
  /** `form`, which is the default. */
  mode?: 'form' | undefined;
  /** Text that explains the request to the user. */
  message: string;
  /** JSON Schema of the form: an object of strings, numbers, booleans and enums. */
  requestedSchema: FormSchema;
}

/** A URL for the user to open. */
export interface ElicitUrlParams {
  /** Always `url`. */
  mode: 'url';
  /** Text that explains to the user why to open the URL. */
  message: string;
  /** URL that the user should open, usually `https:`. */
  url: string;
  /** ID for the notification that the elicitation is complete. Only on versions with this notification. */
  elicitationId?: string | undefined;
}

/** A flat object of simple fields, as a form can show it. */
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

/** A single choice: plain, with titles, or with the `enumNames` of earlier versions. */
export interface ChoiceField extends Field {
  type: 'string';
  enum?: string[] | undefined;
  enumNames?: string[] | undefined;
  oneOf?: { const: string; title: string }[] | undefined;
  default?: string | undefined;
}

/** A choice of several values. */
export interface ChoicesField extends Field {
  type: 'array';
  minItems?: number | undefined;
  maxItems?: number | undefined;
  items: { type: 'string'; enum: string[] } | { anyOf: { const: string; title: string }[] };
  default?: string[] | undefined;
}

export type FormValue = string | number | boolean | string[];

/** The user's answer to an elicitation. */
export interface ElicitResult {
  /** `accept`: the user submitted the form. `decline`: the user refused. `cancel`: the user closed the dialog. */
  action: 'accept' | 'decline' | 'cancel';
  /** Values of the form. Present when the user accepted a form. */
  content?: { [name: string]: FormValue } | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}

/**
 * Result of `roots/list`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/roots
 */
export interface ListRootsResult {
  roots: Root[];
  _meta?: Meta | undefined;
}

/**
 * A request for input from the client.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export type InputRequest =
  | { method: 'elicitation/create'; params: ElicitParams }
  | { method: 'sampling/createMessage'; params: CreateMessageParams }
  | { method: 'roots/list'; params?: { _meta?: Meta | undefined } | undefined };

export type InputRequests = { [key: string]: InputRequest };
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;
export type InputResponses = { [key: string]: InputResponse };

/** A result that requests input from the client. The client then retries the same request with the input. */
export interface InputRequiredResult {
  /** Always `input_required`. */
  resultType: 'input_required';
  /** Requests to the client, by key. */
  inputRequests?: InputRequests | undefined;
  /**
   * State that the client returns unchanged. It is opaque to the client. The server must protect it, because any client
   * can send a forged one.
   */
  requestState?: string | undefined;
  /** Metadata of the protocol or of extensions. */
  _meta?: Meta | undefined;
}
