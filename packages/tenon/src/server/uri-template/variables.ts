/** The types of a template's variables, read from its text by the compiler. */

/** The expressions of a template without their braces, as a union. */
type Bodies<T extends string, Found = never> = T extends `${string}{${infer Body}}${infer Rest}`
  ? Bodies<Rest, Found | Body>
  : Found;

/** The variables of a list with their modifiers, as a union. */
type Specs<List extends string, Found = never> = List extends `${infer Spec},${infer Rest}`
  ? Specs<Rest, Found | Spec>
  : Found | List;

type Prefixing = '#' | '.' | '/' | ';' | '?' | '&';

/** Variables that every match has: those of simple and reserved expressions. */
type Needed<Body> = Body extends `${Prefixing}${string}`
  ? never
  : Body extends `+${infer List}`
    ? Specs<List>
    : Body extends string
      ? Specs<Body>
      : never;

/** Variables whose expression may be absent. */
type Optional<Body> = Body extends `${Prefixing}${infer List}` ? Specs<List> : never;

type NameOf<Spec> = Spec extends `${infer Name}*` | `${infer Name}:${string}` ? Name : Spec;
type ValueOf<Spec> = Spec extends `${string}*` ? string[] : string;

type Shape<NeededSpec extends string, OptionalSpec extends string> = {
  [Spec in NeededSpec as NameOf<Spec>]: ValueOf<Spec>;
} & { [Spec in OptionalSpec as NameOf<Spec>]?: ValueOf<Spec> };

/** `& {}` keeps the name of this type out of what editors show. */
type Flat<T> = { [Key in keyof T]: T[Key] } & {};

/**
 * What a match of the template `T` gives. Variables of simple and reserved expressions are always there; those of
 * `{#…}`, `{.…}`, `{/…}`, `{;…}`, `{?…}` and `{&…}` may be missing; exploded ones (`tags*`) are lists. Of a template
 * whose text is not known when compiling, any name with either kind of value.
 */
export type TemplateVariables<T extends string> = T extends unknown
  ? Record<never, never> extends { [Text in T]: never }
    ? Record<string, string | string[]>
    : Flat<Shape<Needed<Bodies<T>>, Optional<Bodies<T>>>>
  : never;
