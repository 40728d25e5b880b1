import type { InputRequiredResult } from '../model/asking.js';
import type { ClientCapabilities } from '../model/capabilities.js';
import type { Annotations, Icon, Meta, Resource, ResourceContents } from '../model/content.js';
import type { Optional } from '../model/defaults.js';
import type { Cacheable } from '../model/shapes.js';
import type { Caller } from './caller.js';
import { templates } from './compiled-resource.js';
import type { Completers } from './completers.js';
import type { Context } from './context.js';
import { parseTemplate } from './uri-template/template.js';
import type { TemplateVariables } from './uri-template/variables.js';

type Awaitable<T> = T | Promise<T>;

/** Text, bytes, contents, a list of contents, or a question. `undefined` is: there is no such resource. */
export type ReadReturn =
  | string
  | Uint8Array
  | Optional<ResourceContents>
  | readonly ResourceContents[]
  | InputRequiredResult
  | undefined;

/** One entry of a template's list: the variables of the template, and what else is said of the resource. */
export type Listed<V> = V & Optional<Omit<Resource, 'uri'>>;

/** https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource */
export interface ResourceFacts {
  /** For programs. Default: the key. */
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly annotations?: Annotations | undefined;
  /** Bytes, where they are known beforehand. */
  readonly size?: number | undefined;
  readonly icons?: Icon[] | undefined;
  readonly _meta?: Meta | undefined;
  readonly visible?: ((caller: Caller) => boolean) | undefined;
  /** What the client has to be able to do, or the read does not begin: `{ roots: {} }`, say. */
  readonly needs?: ClientCapabilities | undefined;
  /** What the caller's token must allow, or it is refused before anything runs: see `ToolFacts.scopes`. */
  readonly scopes?: readonly string[] | undefined;
  /** How long what was read stays good. Default: 0 ms, private. */
  readonly cache?: Cacheable | undefined;
}

/** A resource, or a template of many. The key is its URI or its RFC 6570 template; `V` are the variables of that. */
export interface ResourceDefinition<V = Record<string, string>> extends ResourceFacts {
  read(variables: V & { readonly uri: string }, context: Context): Awaitable<ReadReturn>;
  /** Which resources of the template there are. Without it they can be read but are not listed. */
  readonly list?: ((context: Context) => Awaitable<readonly Listed<NoInfer<V>>[]>) | undefined;
  /** Completes the variables of the template. */
  readonly complete?: Completers<NoInfer<keyof V & string>> | undefined;
  /** Called when a first subscriber comes to a URI; what it returns is called when the last one has gone. */
  readonly subscribe?: ((uri: string) => (() => void) | undefined | void) | undefined;
  /**
   * Lets variables match what could climb out of their place: an encoded slash, `..`. Off by default, because a handler
   * that joins a variable to a path would be open to path traversal.
   */
  readonly allowUnsafe?: boolean | undefined;
}

/** Defines a resource or a template of resources. The variables are typed from the key in `resources`. */
export function resource<V = Record<string, string>>(definition: ResourceDefinition<V>): Defined<V> {
  templates.parse = parseTemplate;
  return definition as Defined<V>;
}

/** One that was defined away from its key fits any key. */
type Defined<V> = string extends keyof V ? ResourceDefinition<never> : ResourceDefinition<V>;

/** The definitions of an object whose keys are URIs and templates. */
export type ResourceMap<R> = { readonly [U in keyof R]: ResourceDefinition<TemplateVariables<U & string>> };
