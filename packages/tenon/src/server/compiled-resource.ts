import { TenonError } from '../jsonrpc/error.js';
import type { Resource, ResourceTemplate } from '../model/content.js';
import { dropUndefined } from '../model/defaults.js';
import { checkMeta } from '../model/meta-keys.js';
import { checkScopes } from '../model/scopes.js';
import { compiledOnce } from './compiled.js';
import { requireResourceShape } from './definition-shapes.js';
import type { ResourceDefinition } from './resource.js';
import type { Template } from './uri-template/template.js';

type AnyResource = ResourceDefinition<never>;

/** A resource or a template of them made ready. */
export interface CompiledResource {
  readonly definition: AnyResource;
  readonly template: Template | undefined;
  readonly wire: Resource | ResourceTemplate;
}

/** Reads templates. `resource` brings it, so that no program carries it that has no use for it. */
export const templates: { parse?: (text: string) => Template } = {};

export function isTemplate(key: string): boolean {
  return key.includes('{');
}

/** https://www.rfc-editor.org/rfc/rfc3986#appendix-A. Brackets stand around the address of a host, and nowhere else. */
const CHARACTERS = "(?:[\\w\\-.~!$&'()*+,;=:@/?]|%[\\dA-Fa-f]{2})*";
const AT_ADDRESS = '(?:\\/\\/(?:[\\w%.:-]*@)?\\[[\\dA-Fa-f:.]+\\](?::\\d*)?(?![^/?#]))?';
const URI = new RegExp(`^[A-Za-z][A-Za-z0-9+.-]*:${AT_ADDRESS}${CHARACTERS}(?:#${CHARACTERS})?$`);

/** Throws when the key is neither a URI nor a template that can be matched. */
export const compileResource: (key: string, definition: AnyResource) => CompiledResource = compiledOnce(make);

function make(key: string, definition: AnyResource): CompiledResource {
  requireResourceShape(key, definition);
  checkMeta(`"${key}"`, definition._meta);
  checkScopes(`"${key}"`, definition.scopes);
  const template = isTemplate(key) ? templateOf(key) : undefined;
  if (template && template.matchable !== true) {
    throw new TenonError('resource/template', `"${key}" can not be matched: ${template.matchable}`);
  }
  if (!template && !URI.test(key)) {
    throw new TenonError('resource/uri', `"${key}" is no URI`, {
      expected: 'a scheme and a colon at its start, all else percent-encoded where RFC 3986 wants it: note://a%20b',
    });
  }
  return { definition, template, wire: wireOf(key, template !== undefined, definition) };
}

function templateOf(key: string): Template {
  if (templates.parse) return templates.parse(key);
  throw new TenonError('resource/template', `"${key}" is a template, and nothing here reads templates`, {
    next: 'define it by resource({ … })',
  });
}

function wireOf(key: string, isTemplate: boolean, definition: AnyResource): Resource | ResourceTemplate {
  const { name = key, title, description, mimeType, annotations, size, icons, _meta } = definition;
  const where = isTemplate ? { uriTemplate: key } : { uri: key, size };
  const facts = { ...where, name, title, description, mimeType, annotations, icons, _meta };
  return dropUndefined(facts);
}
