import type ts from 'typescript-5';
import type { SourceModule } from '../source-module.js';

/** Notifications of `McpServer`, and the registry of Tenon that sends them. */
const NOTIFICATIONS: Readonly<Record<string, string>> = {
  sendToolListChanged: 'tools.notifyChanged',
  sendPromptListChanged: 'prompts.notifyChanged',
  sendResourceListChanged: 'resources.notifyChanged',
};

/** Changes the notifications about lists and resources. */
export function rewriteNotifications(module: SourceModule): void {
  const { compiler } = module;
  module.walk(node => {
    if (!compiler.isCallExpression(node) || !compiler.isPropertyAccessExpression(node.expression)) return;
    const { name, expression } = node.expression;
    const owner = readOwner(module, expression);
    if (Object.hasOwn(NOTIFICATIONS, name.text)) {
      module.edits.replace({ start: owner.end, end: node.end }, `.${NOTIFICATIONS[name.text]}()`);
    } else if (name.text === 'sendResourceUpdated') {
      const [params] = node.arguments;
      const uri =
        params && compiler.isObjectLiteralExpression(params)
          ? params.properties.map(each => (compiler.isPropertyAssignment(each) ? each.initializer : each.name))[0]
          : undefined;
      const text = uri ? module.getText(uri) : `${params ? module.getText(params) : '{}'}.uri`;
      module.edits.replace({ start: owner.end, end: node.end }, `.notifyResourceUpdated(${text})`);
    }
  });
}

/** Returns the server of `server.server`. */
function readOwner({ compiler }: SourceModule, node: ts.Expression): ts.Expression {
  const isInner =
    compiler.isPropertyAccessExpression(node) &&
    node.name.text === 'server' &&
    node.expression.kind !== compiler.SyntaxKind.ThisKeyword;
  return isInner ? node.expression : node;
}
