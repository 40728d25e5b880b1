import type { ServerBackend } from '../server-runtime.js';
import type { Resources } from './resource.js';
import type { Prompts, ServerDefinition, Tools } from './server-definition.js';

/** A server that another server offers under a prefix. `mount` of `tenon/compose` creates it. */
export interface Mount<Prefix extends string = string, Types = unknown> {
  /** Begins the names of the tools and prompts, and follows the scheme of the URIs of resources. */
  readonly prefix: Prefix;
  /** Types of the mounted server, for the compiler only. */
  readonly types?: Types | undefined;
  /** A `ComposeServer`, for `createServer` only. @internal */
  readonly compose: object;
}

type OwnDefinition = ServerDefinition<Tools, Prompts, Resources>;

/** Creates a server of a definition that also offers the mounted servers. */
export type ComposeServer = <S>(
  definition: OwnDefinition & { readonly mounts?: readonly Mount[] | undefined },
  backend: ServerBackend,
  create: (definition: OwnDefinition, backend: ServerBackend) => S,
) => S;

/** The option of `createServer` for mounted servers. */
export interface MountOption<N extends readonly Mount[], T> {
  /**
   * Servers whose tools, prompts and resources this server offers too: `[mount('notes', notes)]`, with `mount` of
   * `tenon/compose`.
   * @default none
   */
  readonly mounts?: (N & WithoutClash<keyof MountedTools<N>, keyof T>) | undefined;
}

/** Refuses two tools of one name. The compiler shows the text in its error. */
type WithoutClash<Mounted, Own> = string extends Own
  ? unknown
  : [Mounted & Own] extends [never]
    ? unknown
    : `Two tools have the name "${Mounted & Own & string}". Rename one of them, or mount with another prefix`;

type MemberOf<M, K extends 'tools' | 'prompts' | 'resources'> =
  M extends Mount<string, infer Types>
    ? Types extends { readonly [Key in K]: infer Member }
      ? Member
      : unknown
    : unknown;

type Prefixed<Prefix extends string, T> = { readonly [K in keyof T & string as `${Prefix}_${K}`]: T[K] };

/** URI or template of a mounted resource, as `addUriPrefix` computes it. */
type PrefixedUri<Prefix extends string, U extends string> = U extends `${infer Scheme}://${infer Rest}`
  ? `${Scheme}://${Prefix}/${Rest}`
  : `tenon:${Prefix}/${U}`;

type PrefixedUris<Prefix extends string, R> = { readonly [U in keyof R & string as PrefixedUri<Prefix, U>]: R[U] };

type MountedTools<N> = N extends readonly [infer First extends Mount, ...infer Rest]
  ? Prefixed<First['prefix'], MemberOf<First, 'tools'>> & MountedTools<Rest>
  : unknown;

type MountedPrompts<N> = N extends readonly [infer First extends Mount, ...infer Rest]
  ? Prefixed<First['prefix'], MemberOf<First, 'prompts'>> & MountedPrompts<Rest>
  : unknown;

type MountedResources<N> = N extends readonly [infer First extends Mount, ...infer Rest]
  ? PrefixedUris<First['prefix'], MemberOf<First, 'resources'>> & MountedResources<Rest>
  : unknown;

/** The type itself, which the compiler does not infer from the place of the result. Editors show it without a wrapper. */
type Given<T> = [T][T extends unknown ? 0 : never];

/** Tools of a server and of the servers that are mounted in it. */
export type WithMountedTools<T, N> = N extends readonly [] ? Given<T> : Given<T> & MountedTools<N>;
/** Prompts of a server and of the servers that are mounted in it. */
export type WithMountedPrompts<P, N> = N extends readonly [] ? Given<P> : Given<P> & MountedPrompts<N>;
/** Resources of a server and of the servers that are mounted in it. */
export type WithMountedResources<R, N> = N extends readonly [] ? Given<R> : Given<R> & MountedResources<N>;

/** Key of the runtime of a server that can be mounted in another one. All copies of this module have the same key. */
export const MOUNTABLE: unique symbol = Symbol.for('tenon.mountable') as never;
