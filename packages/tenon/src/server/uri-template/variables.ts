/** Types of a template's variables, which the compiler reads from the text of the template. */

/** The expressions of a template without their braces, as a union. */
type ExpressionBodies<T extends string, Collected = never> = T extends `${string}{${infer Body}}${infer Rest}`
  ? ExpressionBodies<Rest, Collected | Body>
  : Collected;

/** The variables of a list with their modifiers, as a union. */
type VariableSpecs<List extends string, Collected = never> = List extends `${infer Spec},${infer Rest}`
  ? VariableSpecs<Rest, Collected | Spec>
  : Collected | List;

type PrefixOperator = '#' | '.' | '/' | ';' | '?' | '&';

/** Variables that every match has: those of simple and reserved expressions. */
type RequiredSpecs<Body> = Body extends `${PrefixOperator}${string}`
  ? never
  : Body extends `+${infer List}`
    ? VariableSpecs<List>
    : Body extends string
      ? VariableSpecs<Body>
      : never;

/** Variables whose expression may be absent. */
type OptionalSpecs<Body> = Body extends `${PrefixOperator}${infer List}` ? VariableSpecs<List> : never;

type SpecName<Spec> = Spec extends `${infer Name}*` | `${infer Name}:${string}` ? Name : Spec;
type SpecValue<Spec> = Spec extends `${string}*` ? string[] : string;

type VariablesShape<NeededSpec extends string, OptionalSpec extends string> = {
  [Spec in NeededSpec as SpecName<Spec>]: SpecValue<Spec>;
} & { [Spec in OptionalSpec as SpecName<Spec>]?: SpecValue<Spec> };

/** `& {}` makes editors show the members instead of the name of this type. */
type FlatShape<T> = { [Key in keyof T]: T[Key] } & {};

/**
 * Variables of a match of the template `T`. Variables of simple and reserved expressions are required. Variables of
 * `{#…}`, `{.…}`, `{/…}`, `{;…}`, `{?…}` and `{&…}` are optional.
 *
 * Exploded variables (`tags*`) are lists. If the compiler does not know the template, any name is allowed.
 */
export type TemplateVariables<T extends string> = T extends unknown
  ? Record<never, never> extends { [Text in T]: never }
    ? Record<string, string | string[]>
    : FlatShape<VariablesShape<RequiredSpecs<ExpressionBodies<T>>, OptionalSpecs<ExpressionBodies<T>>>>
  : never;
