/**
 * The type that a JSON Schema literal describes. Keywords that it does not support give `unknown`. It reads at most
 * eight levels, so that hundreds of tools stay cheap to compile.
 */
export type FromJsonSchema<S, Depth extends readonly 0[] = []> = Depth['length'] extends 8
  ? unknown
  : S extends { readonly const: infer Value }
    ? Value
    : S extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : S extends { readonly type: infer Type }
        ? FromType<Type extends readonly (infer Each)[] ? Each : Type, S, Depth>
        : unknown;

type FromType<Type, S, Depth extends readonly 0[]> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? FromItems<S, Depth>
          : Type extends 'object'
            ? FromProperties<S, Depth>
            : unknown;

type FromItems<S, Depth extends readonly 0[]> = S extends { readonly prefixItems: unknown }
  ? unknown[]
  : S extends { readonly items: infer Item }
    ? FromJsonSchema<Item, [...Depth, 0]>[]
    : unknown[];

type FromProperties<S, Depth extends readonly 0[]> = S extends { readonly properties: infer Properties }
  ? string extends keyof Properties
    ? Record<string, unknown>
    : Members<Properties, S extends { readonly required: readonly (infer Name)[] } ? Name : never, Depth>
  : Record<string, unknown>;

type Members<Properties, Required, Depth extends readonly 0[]> = Simplify<
  {
    -readonly [Name in keyof Properties as Name extends Required ? Name : never]: FromJsonSchema<
      Properties[Name],
      [...Depth, 0]
    >;
  } & {
    -readonly [Name in keyof Properties as Name extends Required ? never : Name]?: FromJsonSchema<
      Properties[Name],
      [...Depth, 0]
    >;
  }
>;

/** `& {}` makes editors show the members instead of the name of this type. */
type Simplify<T> = { [Name in keyof T]: T[Name] } & {};
