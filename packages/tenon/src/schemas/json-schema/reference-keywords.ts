import { shorten } from '@tenon/base';
import { createCannotValidateError } from './broken-schema.js';
import type { CheckRun, SchemaCheck } from './check-run.js';
import { countSteps, LOOKUP_STEPS } from './check-run.js';
import type { KeywordCompilers, KeywordContext } from './keyword-compiler.js';
import { createInvalidCheck } from './schema-checks.js';
import { describeReference, type ReferenceTarget, type SchemaResource } from './schema-document.js';

export const REFERENCE_KEYWORDS: KeywordCompilers = {
  $recursiveRef: compileDynamicReference,
  $ref(reference: string, context) {
    const target = context.document.resolve(reference, context.resource);
    if (target === undefined) return createOutsideCheck(reference, context);
    let check: SchemaCheck | undefined;
    // The target is compiled on first use, because a schema can refer to itself.
    return (value, run) => {
      check ??= context.compile(target.node, target.resource);
      return check(value, run);
    };
  },
  $dynamicRef: compileDynamicReference,
  $defs: compileDefinitions,
  definitions: compileDefinitions,
};

/**
 * Compiles a dynamic reference.
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-8.2.3.2
 */
function compileDynamicReference(reference: string, context: KeywordContext): SchemaCheck {
  const target = context.document.resolve(reference, context.resource);
  if (target === undefined) return createOutsideCheck(reference, context);
  const { fragment, node, resource } = target;
  const isDynamic = resource.dynamicAnchors.get(fragment) === node;
  return (value, run) => {
    const chosen = (isDynamic ? findOutermost(fragment, run) : undefined) ?? target;
    return context.compile(chosen.node, chosen.resource)(value, run);
  };
}

function findOutermost(fragment: string, run: CheckRun): ReferenceTarget | undefined {
  let outermost: SchemaResource | undefined;
  for (let { scope } = run; scope !== undefined; scope = scope.outer) {
    countSteps(run, LOOKUP_STEPS);
    if (scope.resource.dynamicAnchors.has(fragment)) outermost = scope.resource;
  }
  return outermost && { node: outermost.dynamicAnchors.get(fragment), resource: outermost, fragment };
}

function createOutsideCheck(reference: string, { resource, compileInvalid }: KeywordContext): SchemaCheck {
  const target = shorten(describeReference(reference, resource));
  const reason = `the schema refers to ${target}, which is outside of the schema and is never fetched`;
  // A reference to another document may be valid for those who have it.
  return reference.startsWith('#')
    ? compileInvalid(reason, createCannotValidateError)
    : createInvalidCheck(reason, createCannotValidateError);
}

/**
 * Compiles definitions, which check nothing themselves. So an invalid pattern in a definition is found even if no value
 * reaches it.
 */
function compileDefinitions(definitions: { readonly [name: string]: unknown }, { compile }: KeywordContext): undefined {
  for (const definition of Object.values(definitions)) compile(definition);
}
