import { TenonError } from '@tenon/base';
import { expand, type TemplateValues } from './expand.js';
import { match } from './match.js';
import { createMatchPlan } from './match-plan.js';
import { parse } from './parse.js';
import type { TemplateVariables } from './variables.js';

export interface MatchOptions {
  /**
   * Accepts values that look like path traversal, in which a client reads `note://%2e%2e%2fsecret` to leave the
   * folder that the handler serves. A handler that opens files must still check the path, because `{+path}` may be
   * absolute.
   *
   * Without it, a URI does not match if a decoded value contains:
   * - NUL or a segment `..`
   * - `/`, `\` or a single `.` in a simple, label, path or path parameter expression
   * - an empty segment before the last one in `{/list*}`
   *
   * @default `false`
   */
  readonly allowUnsafe?: boolean | undefined;
}

/** A parsed URI template. Immutable. */
export interface Template<T extends string = string> {
  readonly source: T;
  /** Names of the variables, each once, in the order of the template. */
  readonly variables: readonly string[];
  /**
   * True if URIs can be matched, else the reason. A template cannot be matched if:
   * - a variable occurs twice, has a length limit (`{x:3}`), or follows another one directly (`{x}{y}`, `{+a}{+b}`)
   * - a list is not the last variable of its expression, or the next text begins with its separator (`{/a*}{/b}`)
   * - the text after `{;…}`, `{?…}` or `{&…}` could be part of it (`{?a}{&b}`, `{?a}{?b}`, `{?a}&b=1`). Write `{?a,b}`
   * or `?b=1{&a}`.
   */
  readonly matchable: true | string;

  /**
   * Expands the template with all four levels of RFC 6570.
   * @throws TenonError `template/value` for a value that a URI cannot contain.
   */
  expand(values: TemplateValues): string;

  /**
   * Returns the percent-decoded values of a URI. Returns `undefined` if the URI does not match, is longer than 64 Ki
   * characters or is badly encoded, or if the template is not matchable. Never throws. Time and memory are linear in
   * the length of the URI.
   *
   * - `{x}` and `{+x}` must be present and not empty. All others may be absent. Parameters (`;`, `?`, `&`) may have any
   * order.
   * - Only an exploded variable (`x*`) is a list. The result contains its items, never pairs.
   * - If a URI has several readings, variables further left are as long as possible: `{name}.{ext}` splits at the last
   * dot.
   * - A value never contains the prefix of the expression right after it: `{name}{.ext}` splits at the first dot.
   * - A value never contains a separator of its own expression, or a `?` or `#` that the template has further right.
   */
  match(uri: string, options?: MatchOptions): TemplateVariables<T> | undefined;
}

/**
 * Parses a URI template of RFC 6570. Limits: 8 Ki characters, 64 expressions, 64 variables.
 * @throws TenonError `template/malformed` with the position in the message and in `data.position` (UTF-16 code units
 * from 0).
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */
export function parseTemplate<const T extends string>(template: T): Template<T> {
  const parsed = parse(template);
  if ('reason' in parsed) {
    const { reason, position } = parsed;
    const shown = template.length > 120 ? `${template.slice(0, 120)}…` : template;
    throw new TenonError(
      'template/malformed',
      `invalid URI template ${JSON.stringify(shown)} at ${position}: ${reason}`,
      {
        hint: 'write an RFC 6570 template, such as note://{title}{?lang}',
        data: { position, reason },
      },
    );
  }
  const { parts } = parsed;
  const matchPlan = createMatchPlan(parts);
  const names = parts.flatMap(part => (typeof part === 'string' ? [] : part.variables.map(variable => variable.name)));
  return Object.freeze({
    source: template,
    variables: Object.freeze([...new Set(names)]),
    matchable: typeof matchPlan === 'string' ? matchPlan : true,
    expand: (values: TemplateValues) => expand(parts, values),
    match(uri: string, options: MatchOptions = {}) {
      const values = typeof matchPlan === 'string' ? undefined : match(matchPlan, uri, options.allowUnsafe === true);
      return values && (Object.fromEntries(values) as TemplateVariables<T>);
    },
  });
}
