import { TenonError } from '../../jsonrpc/error.js';
import { expand, type TemplateValues } from './expand.js';
import { match } from './match.js';
import { createMatchPlan } from './match-plan.js';
import { parse } from './parse.js';
import type { TemplateVariables } from './variables.js';

export interface MatchOptions {
  /**
   * Gives values to the handler that look like path traversal, the attack in which a client reads `note://%2e%2e%2fsecret`
   * to climb out of the folder that the handler serves. Default `false`: a URI does not match when a decoded value holds
   * NUL; a segment `..`; or, in a simple, label, path or path parameter expression, `/`, `\` or `.` alone; or, in
   * `{/list*}`, an empty segment before the last. A handler that opens files must still check where a path leads:
   * `{+path}` may well be absolute.
   */
  readonly allowUnsafe?: boolean | undefined;
}

/** A URI template, read once. Immutable. */
export interface Template<T extends string = string> {
  readonly source: T;
  /** The names of the variables, each once, in the order of the template. */
  readonly variables: readonly string[];
  /**
   * True if URIs can be matched, else the reason. Not matchable is a template where a variable stands twice, is cut to
   * a prefix (`{x:3}`), or follows another with nothing between (`{x}{y}`, `{+a}{+b}`); where a list is not the last
   * variable of its expression, or what follows begins with its separator (`{/a*}{/b}`); and where what follows `{;…}`,
   * `{?…}` or `{&…}` could be a part of them (`{?a}{&b}`, `{?a}{?b}`, `{?a}&b=1`; write `{?a,b}`, `?b=1{&a}`).
   */
  readonly matchable: true | string;

  /** Expands by RFC 6570, all four levels. Throws `template/value` for a value that has no place in a URI. */
  expand(values: TemplateValues): string;

  /**
   * Takes the values out of a URI, percent-decoded; `undefined` when it does not match, is longer than 64 KiB, is badly
   * encoded, or the template is not matchable. Never throws. Time and memory are linear in the length of the URI.
   *
   * - `{x}` and `{+x}` are there and not empty. All others may be absent. Parameters (`;`, `?`, `&`) come in any order.
   * - Only an exploded variable (`x*`) is a list; its items come back, never pairs.
   * - Where a URI could be read in several ways, variables further left are as long as they can be (`{name}.{ext}` splits
   *   at the last dot); but no value holds the prefix of an expression right after it (`{name}{.ext}` splits at the first
   *   dot), a separator of its own expression, or a `?` or `#` that the template has further right.
   */
  match(uri: string, options?: MatchOptions): TemplateVariables<T> | undefined;
}

/**
 * Reads a URI template of RFC 6570 (8 KiB, 64 expressions, 64 variables at most). Throws `template/malformed` with the
 * position in the message and in `data.position` (UTF-16 code units from 0).
 * https://www.rfc-editor.org/rfc/rfc6570
 */
export function parseTemplate<const T extends string>(template: T): Template<T> {
  const parsed = parse(template);
  if ('reason' in parsed) throw createMalformedError(template, parsed.reason, parsed.position);
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

function createMalformedError(template: string, reason: string, position: number): TenonError {
  const shown = template.length > 120 ? `${template.slice(0, 120)}…` : template;
  return new TenonError(
    'template/malformed',
    `invalid URI template ${JSON.stringify(shown)} at ${position}: ${reason}`,
    {
      hint: 'write an RFC 6570 template, such as note://{title}{?lang}',
      data: { position, reason },
    },
  );
}
