import { writePatternText } from '@tenon/base/writers';
import type ts from 'typescript-5';
import type { SourceModule } from '../source-module.js';
import { asFunction, findProperty, getParameterName, getPropertyValue } from './handlers.js';
import type { Registration } from './registrations.js';

/** Changes the registration of a resource to `server.resources.set(uri, resource({ … }))`. */
export function writeResource(module: SourceModule, { call, handler }: Registration): void {
  const [name, uri] = call.arguments;
  const config = call.arguments.length > 3 ? call.arguments[2] : undefined;
  if (name === undefined || uri === undefined) return;
  const template = readTemplate(module, uri);
  const define = module.use('resource');
  const outer = module.getIndent(call);
  const indent = `${outer}${module.indentUnit}`;
  const members = [`name: ${module.getEditedText(name)}`, ...readMetadata(module, config)];
  if (template?.list) members.push(`list: ${template.list}`);
  if (template?.complete) members.push(`complete: ${template.complete}`);
  members.push(`read: ${writeReader(module, handler, template !== undefined)}`);
  const text = members.map(each => `${indent}${each},\n`).join('');
  module.edits.replace(
    { start: call.expression.end + 1, end: call.end - 1 },
    `${template?.uri ?? module.getEditedText(uri)}, ${define}({\n${text}${outer}})`,
  );
}

function readMetadata(module: SourceModule, config: ts.Expression | undefined): string[] {
  const { compiler } = module;
  if (config === undefined) return [];
  if (!compiler.isObjectLiteralExpression(config)) return [`...${module.getEditedText(config)}`];
  return config.properties.map(each => module.getEditedText(each));
}

interface TemplateText {
  readonly uri: string;
  readonly list?: string | undefined;
  readonly complete?: string | undefined;
}

/** Reads `new ResourceTemplate(uri, { list, complete })`, or a constant with it. */
function readTemplate(module: SourceModule, node: ts.Expression): TemplateText | undefined {
  const { compiler } = module;
  const created = compiler.isIdentifier(node) ? module.findInitializer(node.text) : node;
  if (!created || !compiler.isNewExpression(created)) return undefined;
  if (module.getSdkName(created.expression) !== 'ResourceTemplate') return undefined;
  const [uri, options] = created.arguments ?? [];
  if (uri === undefined) return undefined;
  if (created !== node) removeConstant(module, created);
  if (!options || !compiler.isObjectLiteralExpression(options)) return { uri: module.getEditedText(uri) };
  const complete = getPropertyValue(module, findProperty(module, options, 'complete'));
  return {
    uri: module.getEditedText(uri),
    list: writeList(module, getList(module, options), uri),
    complete: complete && module.getEditedText(complete),
  };
}

function removeConstant(module: SourceModule, initializer: ts.Expression): void {
  const list = initializer.parent.parent;
  if (module.compiler.isVariableDeclarationList(list) && list.declarations.length === 1)
    module.removeStatement(list.parent);
}

function getList(module: SourceModule, options: ts.ObjectLiteralExpression): ts.Expression | undefined {
  const value = getPropertyValue(module, findProperty(module, options, 'list'));
  return value === undefined || module.getText(value) === 'undefined' ? undefined : value;
}

/** The list of a template names the values of its variables, which are read from the URIs that version 1 lists. */
function writeList(module: SourceModule, list: ts.Expression | undefined, uri: ts.Expression): string | undefined {
  if (list === undefined) return undefined;
  const { compiler } = module;
  const pattern = compiler.isStringLiteralLike(uri) ? createPattern(uri.text) : undefined;
  if (pattern === undefined) {
    module.report(
      uri,
      'left',
      'the list of a resource template',
      'return the variables of the template with `name`, in place of `{ resources: [{ uri, name }] }`',
    );
    return undefined;
  }
  const any = module.isTyped ? ': { uri: string; name: string }' : '';
  const context = asFunction(module, list)?.parameters.length === 0 ? '' : 'ctx';
  const entries = `(await (${module.getEditedText(list)})(${context})).resources`;
  return `async ${context || '()'} => ${entries}.map(({ uri, ...entry }${any}) => ({ ...entry, ...uri.match(${pattern})?.groups }))`;
}

/** Creates a regular expression with a group for each variable of a simple template. */
function createPattern(template: string): string | undefined {
  if (/\{[^}]*[^\w+}][^}]*\}/.test(template)) return undefined;
  const parts = template.split(/\{(\+?\w+)\}/);
  const text = parts
    .map((part, index) => {
      if (index % 2 === 0) return writePatternText(part);
      return part.startsWith('+') ? `(?<${part.slice(1)}>.+)` : `(?<${part}>[^/]+)`;
    })
    .join('');
  return `/^${text}$/`;
}

/** Changes a handler `(uri, variables, extra)` to `({ uri, ...variables }, ctx)`. */
function writeReader(module: SourceModule, handler: ts.Expression, isTemplate: boolean): string {
  const { compiler } = module;
  const fn = asFunction(module, handler);
  const [uri, second, third] = fn?.parameters ?? [];
  const name = getParameterName(module, uri);
  const uses = fn && name ? listUses(module, fn, name) : [];
  const isHref = uses.every(
    each => compiler.isPropertyAccessExpression(each.parent) && each.parent.name.text === 'href',
  );
  const variables = isTemplate ? second : undefined;
  const context = isTemplate ? third : second;
  const isSimple =
    fn !== undefined &&
    fn.parameters.length <= (isTemplate ? 3 : 2) &&
    (uri === undefined || (name !== undefined && isHref)) &&
    (variables === undefined || compiler.isObjectBindingPattern(variables.name));
  if (!isSimple) {
    const args = isTemplate ? 'new URL(uri), variables, ctx' : 'new URL(uri), ctx';
    return `({ uri${isTemplate ? ', ...variables' : ''} }, ctx) => (${module.getEditedText(handler)})(${args})`;
  }
  if (!fn || !uri) return module.getEditedText(handler);
  for (const use of uses) {
    const property = use.parent.parent;
    const isSame = compiler.isPropertyAssignment(property) && module.getText(property.name) === module.getText(use);
    module.replace(isSame ? property : use.parent, module.getText(use));
  }
  const taken = [
    ...(uses.length > 0 ? [name === 'uri' ? 'uri' : `uri: ${name}`] : []),
    ...(variables && compiler.isObjectBindingPattern(variables.name)
      ? variables.name.elements.map(each => module.getText(each))
      : []),
  ];
  const parameters = [taken.length > 0 ? `{ ${taken.join(', ')} }` : '_variables'];
  if (context) parameters.push(module.getEditedText(context));
  const last = fn.parameters.at(-1) ?? uri;
  const isBare = !module.source.text.slice(fn.pos, module.getStart(uri)).includes('(');
  const list = parameters.join(', ');
  module.edits.replace({ start: module.getStart(uri), end: last.end }, isBare ? `(${list})` : list);
  return module.getEditedText(handler);
}

function listUses(module: SourceModule, fn: ts.Node, name: string): ts.Identifier[] {
  return module
    .listReferences(name)
    .filter(each => each.pos >= fn.pos && each.end <= fn.end && !module.compiler.isParameter(each.parent));
}
