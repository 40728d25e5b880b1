import type { MaybePromise } from '../../jsonrpc/maybe-promise.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import type { Annotations, Icon, Meta, Resource, ResourceContents } from '../../protocol/content.js';
import type { Optional } from '../../protocol/defaults.js';
import type { InputRequiredResult } from '../../protocol/input-requests.js';
import type { Cacheable } from '../../protocol/params-and-results.js';
import type { CallerInfo } from '../caller-info.js';
import type { Context } from '../context/context.js';
import { parseTemplate } from '../uri-template/template.js';
import type { TemplateVariables } from '../uri-template/variables.js';
import { templateParser } from './compiled-resource.js';
import type { Completers } from './completers.js';

/** Text, bytes, contents, a list of contents, or an input request. `undefined`: the resource does not exist. */
export type ReadReturn =
  | string
  | Uint8Array
  | Optional<ResourceContents>
  | readonly ResourceContents[]
  | InputRequiredResult
  | undefined;

/** One entry of a template's list: the variables of the template, and what else is said of the resource. */
export type ResourceListEntry<V> = V & Optional<Omit<Resource, 'uri'>>;

/** https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource */
export interface ResourceMetadata {
  /** For programs. Default: the key. */
  readonly name?: string | undefined;
  /** Name for people, in user interfaces. Default: `name`. */
  readonly title?: string | undefined;
  /** Describes the content of the resource to the model and to people. */
  readonly description?: string | undefined;
  /** Media type of the contents: `text/markdown`. Default: none is given. */
  readonly mimeType?: string | undefined;
  /** Hints for clients: `audience`, `priority`, `lastModified`. */
  readonly annotations?: Annotations | undefined;
  /** Bytes, where they are known beforehand. */
  readonly size?: number | undefined;
  /** Images for user interfaces. Default: none. */
  readonly icons?: Icon[] | undefined;
  /** Metadata for clients. A key with a prefix of the protocol is refused by `meta/reserved`. */
  readonly _meta?: Meta | undefined;
  /** True if this caller sees it, in lists and in requests. Default: all do. */
  readonly visible?: ((caller: CallerInfo) => boolean) | undefined;
  /** Client capabilities that a read requires, for example `{ roots: {} }`. Without them the request is refused. */
  readonly requiredCapabilities?: ClientCapabilities | undefined;
  /** Scopes that the caller's token needs; without them the request is refused: see `ToolMetadata.scopes`. */
  readonly scopes?: readonly string[] | undefined;
  /** Time for which the contents stay valid. Default: 0 ms, private. */
  readonly cache?: Cacheable | undefined;
}

/** Taken from a method, so that a handler may name the type of its state: `list: (ctx: Context<State>) => …`. */
type ListResources<V> = { list(context: Context): MaybePromise<readonly ResourceListEntry<NoInfer<V>>[]> }['list'];

/** A resource, or a template of many. The key is its URI or its RFC 6570 template; `V` are the variables of that. */
export interface ResourceDefinition<V = Record<string, string>> extends ResourceMetadata {
  /**
   * Returns the contents: text, bytes, or content objects. `variables` are those of the template, and `uri`. Return
   * `undefined` for a resource that does not exist: the client gets the not-found error of its protocol version.
   */
  read(variables: V & { readonly uri: string }, context: Context): MaybePromise<ReadReturn>;
  /** Lists the resources of the template. Without it they can be read but are not listed. */
  readonly list?: ListResources<V> | undefined;
  /** Completes the variables of the template. */
  readonly complete?: Completers<NoInfer<keyof V & string>> | undefined;
  /**
   * Called when a URI gets its first subscriber. The returned function is called when the last one has unsubscribed.
   */
  readonly subscribe?: ((uri: string) => (() => void) | undefined | void) | undefined;
  /**
   * Lets variables match what could climb out of their place: an encoded slash, `..`. Off by default, because a handler
   * that joins a variable to a path would be open to path traversal.
   */
  readonly allowUnsafe?: boolean | undefined;
}

/**
 * Defines a resource, or a template of resources whose variables are typed from the key in `resources`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
 */
export function resource<V = Record<string, string>>(definition: ResourceDefinition<V>): DefinedResource<V> {
  templateParser.parse = parseTemplate;
  return definition as DefinedResource<V>;
}

/** One that was defined away from its key fits any key. */
type DefinedResource<V> = string extends keyof V ? ResourceDefinition<never> : ResourceDefinition<V>;

/** The definitions of an object whose keys are URIs and templates. */
export type ResourceMap<R> = { readonly [U in keyof R]: ResourceDefinition<TemplateVariables<U & string>> };
