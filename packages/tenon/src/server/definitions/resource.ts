import type { MaybePromise, Optional } from '@tenon/base';
import type { CallerInfo, Context } from '../../handler/context.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import type { Annotations, Icon, Meta, Resource, ResourceContents } from '../../protocol/content.js';
import type { InputRequiredResult } from '../../protocol/input-requests.js';
import type { Cacheable } from '../../protocol/params-and-results.js';
import type { ExposeErrors } from '../exposed-errors.js';
import type { Registry } from '../registry.js';
import { parseTemplate, type Template } from '../uri-template/template.js';
import type { TemplateVariables } from '../uri-template/variables.js';
import type { Completers } from './completers.js';

/**
 * Return value of `read`: text, bytes, contents, a list of contents, a result of the specification, or an input request.
 * `undefined`: the resource does not exist.
 */
export type ReadReturn =
  | string
  | Uint8Array
  | Optional<ResourceContents>
  | readonly ResourceContents[]
  | { readonly contents: readonly ResourceContents[] }
  | InputRequiredResult
  | undefined;

/** One entry of a template's list: the variables of the template, and metadata of the resource. */
export type ResourceListEntry<V> = V & Optional<Omit<Resource, 'uri'>>;

/**
 * Metadata of a resource.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource
 */
export interface ResourceMetadata {
  /**
   * Name for programs.
   * @default the key
   */
  readonly name?: string | undefined;
  /**
   * Name for people, in user interfaces.
   * @default `name`
   */
  readonly title?: string | undefined;
  /** Describes the content of the resource to the model and to people. */
  readonly description?: string | undefined;
  /**
   * Media type of the contents, for example `text/markdown`.
   * @default none
   */
  readonly mimeType?: string | undefined;
  /** Hints for clients: `audience`, `priority`, `lastModified`. */
  readonly annotations?: Annotations | undefined;
  /**
   * Size in bytes, if it is known in advance.
   * @default none
   */
  readonly size?: number | undefined;
  /**
   * Images for user interfaces.
   * @default none
   */
  readonly icons?: Icon[] | undefined;
  /** Metadata for clients. A key with a prefix of the protocol throws `meta/reserved`. */
  readonly _meta?: Meta | undefined;
  /**
   * Tells if a caller sees the resource, in lists and in requests. Only `true` shows it, and not a promise.
   * @default every caller sees it
   */
  readonly visible?: ((caller: CallerInfo) => boolean) | undefined;
  /** Client capabilities that a read requires, for example `{ roots: {} }`. A request without them is refused. */
  readonly requiredCapabilities?: ClientCapabilities | undefined;
  /** Scopes that the caller's token must have. A request without them is refused: see `ToolMetadata.scopes`. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Shows clients and models the messages of errors that the handler throws.
   * @default `exposeErrors` of the server
   */
  readonly exposeErrors?: ExposeErrors | undefined;
  /**
   * Cache hints of the contents: lifetime in milliseconds, and scope.
   * @default 0 ms, private
   */
  readonly cache?: Cacheable | undefined;
}

/**
 * Type of `list`. It is taken from a method, so that a handler may declare the type of its state: `list: (ctx:
 * Context<State>) => …`.
 */
type ListResources<V> = { list(context: Context): MaybePromise<readonly ResourceListEntry<NoInfer<V>>[]> }['list'];

/**
 * A resource or a resource template. The key is its URI or its RFC 6570 template. `V` contains the variables of the
 * template.
 */
export interface ResourceDefinition<V = Record<string, string>> extends ResourceMetadata {
  /**
   * Returns the contents: text, bytes, or content objects. `variables` contains the variables of the template and
   * `uri`.
   *
   * Return `undefined` for a resource that does not exist. The client then gets the not-found error of its protocol
   * version.
   */
  read(variables: V & { readonly uri: string }, context: Context): MaybePromise<ReadReturn>;
  /** Lists the resources of the template. Without it, clients can read them but do not find them in a list. */
  readonly list?: ListResources<V> | undefined;
  /** Suggests values for the variables of the template. */
  readonly complete?: Completers<NoInfer<keyof V & string>> | undefined;
  /**
   * Called when a URI gets its first subscriber. The returned function is called after the last subscriber has
   * unsubscribed.
   */
  readonly subscribe?: ((uri: string) => (() => void) | undefined | void) | undefined;
  /**
   * Accepts values of variables that may cause path traversal, such as an encoded slash or `..`.
   * @default false, because a handler that joins a variable to a path would be open to path traversal
   */
  readonly allowUnsafe?: boolean | undefined;
}

/**
 * The parser of URI templates. `resource` sets it, so that programs without resources do not include the parser in
 * their bundle.
 */
export const templateParser: { parse?: (text: string) => Template } = {};

/**
 * Defines a resource or a resource template. The variables of a template are typed by its key in `resources`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
 */
export function resource<V = Record<string, string>>(definition: ResourceDefinition<V>): DefinedResource<V> {
  templateParser.parse = parseTemplate;
  return definition as DefinedResource<V>;
}

/** Type of a resource that `resource` created without its key. It is assignable to every key, and `read` takes any names. */
type DefinedResource<V> = string extends keyof V
  ? ResourceDefinition<never> & Pick<ResourceDefinition<V>, 'read'>
  : ResourceDefinition<V>;

/** Type of the definitions of resources, by URI or template. */
export type ResourceMap<R> = { readonly [U in keyof R]: ResourceDefinition<TemplateVariables<U & string>> };

/** Definitions of resources by URI or template, without the types of their variables. */
export type Resources = { readonly [uri: string]: ResourceDefinition<never> };

/** Resources and resource templates of a server. They may change while clients are connected. */
export interface ResourceRegistry extends Omit<Registry<ResourceDefinition<never>>, 'set'> {
  /**
   * Adds or replaces a resource. Its key is its URI or its RFC 6570 template, which types the variables of `read`.
   * @throws TenonError `server/catalog-function` if the registry is a function of the caller.
   */
  set<const U extends string>(uri: U, item: ResourceDefinition<TemplateVariables<U>>): void;
}
