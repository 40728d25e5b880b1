import type ts from 'typescript-5';
import { ERROR_CODES } from '../sdk-names.js';
import type { SourceModule } from '../source-module.js';
import type { Registration } from './registrations.js';

const ERROR_CLASS = /^(?:McpError|ProtocolError)$/;

/** Changes `new McpError(code, message)`, and the tests of thrown errors. */
export function rewriteErrors(module: SourceModule, registrations: readonly Registration[]): void {
  const { compiler } = module;
  const tools = registrations.filter(({ kind }) => kind === 'tool');
  module.walk(node => {
    if (compiler.isPropertyAccessExpression(node) && isErrorCode(module, node.expression)) {
      const code = ERROR_CODES[node.name.text];
      if (code !== undefined) module.replace(node, String(code));
    }
  });
  module.walkInnerFirst(node => {
    if (compiler.isNewExpression(node) && ERROR_CLASS.test(module.getSdkName(node.expression) ?? '')) {
      const [code, message, data] = node.arguments ?? [];
      if (!code || !message) return;
      const isInTool = tools.some(({ handler }) => handler.pos <= node.pos && node.end <= handler.end);
      if (isInTool) return module.replace(node, `${module.use('toolError')}(${module.getEditedText(message)})`);
      const list = [code, message, data].flatMap(each => (each ? [module.getEditedText(each)] : []));
      module.replace(node, `${module.use('rpcError')}(${list.join(', ')})`);
    }
    if (
      compiler.isBinaryExpression(node) &&
      node.operatorToken.kind === compiler.SyntaxKind.InstanceOfKeyword &&
      ERROR_CLASS.test(module.getSdkName(node.right) ?? '')
    )
      module.replace(node, `${module.use('TenonError')}.is(${module.getEditedText(node.left)})`);
  });
}

const isErrorCode = (module: SourceModule, node: ts.Node): boolean =>
  /^(?:ErrorCode|ProtocolErrorCode)$/.test(module.getSdkName(node) ?? '');
