import type { JsonObject } from 'tenon';

/** Serialization of a value, as OpenAPI names it. */
export interface ValueStyle {
  /**
   * Style of lists and objects. `tabDelimited` is the collection format `tsv` of Swagger 2.0.
   * @default `simple` in paths and headers, `form` elsewhere
   */
  readonly style?: 'label' | 'matrix' | 'spaceDelimited' | 'pipeDelimited' | 'tabDelimited' | 'deepObject' | undefined;
  /**
   * Sends each element of a list or an object as a value of its own.
   * @default `true` in queries, cookies and forms, `false` elsewhere
   */
  readonly explode?: boolean | undefined;
  /** Reserved characters such as `/` and `:` are not encoded. */
  readonly allowReserved?: true | undefined;
}

/** Parameter of an operation. */
export interface OperationParameter extends ValueStyle {
  /** Name of the property of the input. */
  readonly property: string;
  /** Name in the request. */
  readonly name: string;
  /** Part of the request that has the parameter. */
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  /** The value is sent as JSON. */
  readonly json?: true | undefined;
}

/** Field of a body with fields. */
export interface OperationField extends ValueStyle {
  /** The value is a file: its bytes in base64, its name and its media type. */
  readonly file?: true | undefined;
  /** Media type of the field in a multipart body. */
  readonly type?: string | undefined;
}

/** Body of an operation. */
export interface OperationBody {
  /** Name of the property of the input. */
  readonly property: string;
  /** Media type. */
  readonly type: string;
  /** Fields of a form or a multipart body that are not sent as usual. */
  readonly fields?: Readonly<Record<string, OperationField>> | undefined;
}

/** Operation of an API. A value of JSON. */
export interface ApiOperation {
  /** Name of the tool, of at most 64 characters that all hosts accept. */
  readonly name: string;
  /** Name for people. */
  readonly title?: string | undefined;
  /** Text for the model: summary and description of the document. */
  readonly description: string;
  /** HTTP method, in upper case. */
  readonly method: string;
  /** Path with its parameters: `/pets/{id}`. */
  readonly path: string;
  /**
   * Base URL of the operation, if it differs from that of the API.
   * @default that of the API
   */
  readonly url?: string | undefined;
  /** Parameters of the path, the query, the header fields and the cookies. */
  readonly parameters: readonly OperationParameter[];
  /** Body of the request. Absent if the operation takes none. */
  readonly body?: OperationBody | undefined;
  /** JSON Schema of the input. */
  readonly input: JsonObject;
  /** JSON Schema of a successful response. Absent if the document has none that a tool can show. */
  readonly output?: JsonObject | undefined;
  /**
   * Alternatives of security schemes, each with the names of the schemes that it needs.
   * @default all schemes with a credential
   */
  readonly security?: readonly (readonly string[])[] | undefined;
  /**
   * The operation is a resource, or a resource template, in place of a tool.
   * @default `tool`
   */
  readonly kind?: 'resource' | 'template' | undefined;
  /** URI of the resource, or template of its URIs. */
  readonly uri?: string | undefined;
}

/** Security scheme of an API. */
export interface SecurityScheme {
  /** Key of the scheme in the document. */
  readonly id: string;
  /** Place of the credential in a request. */
  readonly kind: 'bearer' | 'basic' | 'header' | 'query' | 'cookie';
  /** Name of the header, query parameter or cookie. */
  readonly name: string;
}

/** Every operation of a document, in one of three lists. */
export interface OpenApiReport {
  /** Operations that are served. */
  readonly taken: readonly {
    /** Method and path: `GET /pets/{id}`. */
    readonly operation: string;
    readonly as: 'tool' | 'resource' | 'template';
    /** Name of the tool, or URI of the resource. */
    readonly name: string;
  }[];
  /** Taken operations that differ from the document, with what was repaired or left out. */
  readonly changed: readonly { readonly tool: string; readonly changes: readonly string[] }[];
  /** Operations that are not served, with the reason. A path that cannot be read has no method, and webhooks are one row. */
  readonly leftOut: readonly { readonly operation: string; readonly reason: string }[];
  /** Operations that the filter of the user does not select. */
  readonly notChosen: readonly string[];
}
