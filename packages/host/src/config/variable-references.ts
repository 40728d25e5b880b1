/** Variable in a text, with its default. */
export interface VariableReference {
  /** `file`: `name` is a path, which may contain other variables. `caller`: a value of the caller of a host. */
  readonly kind: 'env' | 'input' | 'file' | 'caller' | 'predefined' | 'unknown';
  readonly name: string;
  readonly fallback?: string;
}

/** Maximum nesting depth of defaults. */
export const MAX_DEFAULTS = 8;

/** Predefined variables of VS Code and Cursor. */
export const PREDEFINED = ['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'pathSeparator', '/'] as const;
export type Predefined = (typeof PREDEFINED)[number];

/**
 * Splits a text into plain text and references: `${VAR}`, `${VAR:-default}`, `${env:VAR}`, `${input:id}`, `${file:PATH}`,
 * `${caller:NAME}` and predefined variables. `$${` is an escaped `${`. `${` without a closing brace is plain text.
 */
export function parseReferences(text: string): (string | VariableReference)[] {
  const pieces: (string | VariableReference)[] = [];
  let literal = '';
  let from = 0;
  for (let at = text.indexOf('${'); at >= 0; at = text.indexOf('${', from)) {
    const escaped = text[at - 1] === '$';
    const end = escaped ? at + 1 : findClosingBrace(text, at + 2);
    if (end < 0) break;
    literal += text.slice(from, escaped ? at - 1 : at);
    if (escaped) literal += '${';
    else {
      if (literal) pieces.push(literal);
      literal = '';
      pieces.push(parseReference(text.slice(at + 2, end)));
    }
    from = end + 1;
  }
  literal += text.slice(from);
  if (literal) pieces.push(literal);
  return pieces;
}

/** Finds the closing brace of a reference. Its default may contain other references. */
function findClosingBrace(text: string, from: number): number {
  let open = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '$' && text[at + 1] === '{') open += 1;
    if (text[at] === '}') open -= 1;
    if (open === 0) return at;
  }
  return -1;
}

function parseReference(body: string): VariableReference {
  if ((PREDEFINED as readonly string[]).includes(body)) return { kind: 'predefined', name: body };
  if (body.startsWith('input:')) return { kind: 'input', name: body.slice('input:'.length) };
  if (body.startsWith('file:')) return { kind: 'file', name: body.slice('file:'.length) };
  if (body.startsWith('caller:')) {
    const [name = '', ...fallback] = body.slice('caller:'.length).split(':-');
    return { kind: 'caller', name, ...(fallback.length > 0 && { fallback: fallback.join(':-') }) };
  }
  const prefixed = body.startsWith('env:');
  const rest = prefixed ? body.slice('env:'.length) : body;
  const end = rest.indexOf(':-');
  const name = end < 0 ? rest : rest.slice(0, end);
  // Windows has variables such as `ProgramFiles(x86)`.
  const isName = prefixed ? /^[^:${}]+$/.test(name) : /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
  if (!isName) return { kind: 'unknown', name: body };
  return end < 0 ? { kind: 'env', name } : { kind: 'env', name, fallback: rest.slice(end + 2) };
}
