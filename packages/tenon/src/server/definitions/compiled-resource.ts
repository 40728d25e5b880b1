import { dropUndefined, requireShape, TenonError } from '@tenon/base';
import { checkMeta } from '../../protocol/check-meta.js';
import type { Resource, ResourceTemplate } from '../../protocol/content.js';
import { checkScopes } from '../../protocol/scopes.js';
import { memoizeCompile } from '../registry.js';
import type { Template } from '../uri-template/template.js';
import { RESOURCE_SHAPE } from './definition-shapes.js';
import { type ResourceDefinition, templateParser } from './resource.js';

type AnyResource = ResourceDefinition<never>;

/** A resource that matches a URI, directly or by its template. */
export interface MatchedResource {
  readonly definition: ResourceDefinition<never>;
  readonly variables: { readonly [name: string]: unknown };
}

/** A resource or a resource template with its prepared schema. */
export interface CompiledResource {
  readonly definition: AnyResource;
  readonly template: Template | undefined;
  readonly wire: Resource | ResourceTemplate;
}

export function isUriTemplate(key: string): boolean {
  return key.includes('{');
}

/**
 * The characters of a URI. Brackets may only enclose the IP address of a host.
 * @see https://www.rfc-editor.org/rfc/rfc3986#appendix-A
 */
const URI_CHARACTERS = "(?:[\\w\\-.~!$&'()*+,;=:@/?]|%[\\dA-Fa-f]{2})*";
const IPV6_AUTHORITY = '(?:\\/\\/(?:[\\w%.:-]*@)?\\[[\\dA-Fa-f:.]+\\](?::\\d*)?(?![^/?#]))?';
const URI_PATTERN = new RegExp(`^[A-Za-z][A-Za-z0-9+.-]*:${IPV6_AUTHORITY}${URI_CHARACTERS}(?:#${URI_CHARACTERS})?$`);

/** Compiles a resource. Throws when its key is neither a URI nor a template that can be matched. */
export const compileResource: (key: string, definition: AnyResource) => CompiledResource = memoizeCompile(
  (key, definition) => {
    requireShape(`resource "${key}"`, definition, RESOURCE_SHAPE);
    checkMeta(`"${key}"`, definition._meta);
    checkScopes(`"${key}"`, definition.scopes);
    if (isUriTemplate(key) && !templateParser.parse)
      throw new TenonError(
        'resource/template',
        `the URI template "${key}" needs a resource created with \`resource()\``,
        {
          hint: 'define the resource with resource({ … })',
        },
      );
    const template = isUriTemplate(key) ? templateParser.parse?.(key) : undefined;
    if (template && template.matchable !== true) {
      throw new TenonError('resource/template', `the URI template "${key}" cannot be matched: ${template.matchable}`);
    }
    if (!template && !URI_PATTERN.test(key)) {
      throw new TenonError('resource/uri', `invalid resource URI "${key}"`, {
        expected: 'a URI with a scheme and percent-encoded characters, such as note://a%20b',
      });
    }
    const { name = key, title, description, mimeType, annotations, size, icons, _meta } = definition;
    const identity = template ? { uriTemplate: key } : { uri: key, size };
    const members = { ...identity, name, title, description, mimeType, annotations, icons, _meta };
    const wire: Resource | ResourceTemplate = dropUndefined(members);
    return { definition, template, wire };
  },
);
