import type { SourceModule } from '../source-module.js';
import { findProperty, getPropertyName, getPropertyValue } from './handlers.js';

/** Members of a result of a tool. */
const RESULT_KEYS: ReadonlySet<string> = new Set(['content', 'structuredContent', 'isError', '_meta']);

/** Reports results of tools with other members: Tenon takes such an object for a value, and the model gets all of it as text. */
export function reportResults(module: SourceModule): void {
  const { compiler } = module;
  module.walk(node => {
    if (!compiler.isObjectLiteralExpression(node)) return;
    const content = getPropertyValue(module, findProperty(module, node, 'content'));
    const [block] = content && compiler.isArrayLiteralExpression(content) ? content.elements : [];
    if (!block || !compiler.isObjectLiteralExpression(block) || !findProperty(module, block, 'type')) return;
    const extra = node.properties
      .flatMap(each => getPropertyName(module, each) ?? [])
      .find(name => !RESULT_KEYS.has(name));
    if (extra !== undefined)
      module.report(
        node,
        'left',
        `a result with the member \`${extra}\``,
        'remove the member, or write it into `structuredContent`: with it, the model gets the whole object as text',
      );
  });
}
