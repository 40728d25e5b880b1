import ts from 'typescript-5';
import type { Source } from './source.js';

/** One `new TenonError(…)`, with the texts that it may hold. */
export interface ErrorSite {
  /** `path:line`. */
  readonly place: string;
  /** Codes that the first argument may be. Empty for a code that is passed in. */
  readonly codes: readonly string[];
  readonly summary: readonly string[];
  readonly expected: readonly string[];
  readonly received: readonly string[];
  readonly hint: readonly string[];
  /** Names of the details that the site sets. */
  readonly details: ReadonlySet<string>;
}

/** Longest sentence, in words. */
const MAX_WORDS = 25;

/** Stands for an interpolated value. */
const VALUE = '\u2026';

/** Codes of errors whose text crosses the wire: the model or the client shows it as a sentence of its own. */
const CROSSING =
  /^(client\/(missing-capability|refused|declined|invalid-answer)|elicitation\/required|rpc\/error|tool\/failed)$/;

const RELATIVE = /^(what|who|whom|whose|whether|how|where|when|which|why|of|that)\b/i;

/** Phrases that must be read twice, and the words to use. */
const BANNED: readonly (readonly [phrase: RegExp, use: string])[] = [
  [/\bcan not\b/i, 'cannot'],
  [
    /\b(is|are|has|have|there is|at) no(ne)? (key|name|uri|url|object|json|scope|rate|token|tool|message)\b/i,
    'invalid',
  ],
  [/\b(is|are) none\b/i, 'invalid'],
  [/\bno(body| one)\b/i, 'the actor'],
  [/\bsome(body|one)\b/i, 'the actor'],
  [/\bwho(ever|m)\b/i, 'the actor'],
  [/\bat the (most|least)\b/i, 'at most'],
  [/\b(un)?fit(s|ting)?\b/i, 'invalid, match'],
  [/\b(gave|given|give) (it|the \w+|\w+) up\b/i, 'cancelled'],
  [/\bgiven up\b/i, 'cancelled'],
  [/\bthere is no way\b/i, 'cannot'],
  [/\bleft out\b/i, 'ignored'],
  [/\bother end\b/i, 'peer'],
  [/\bby hand\b/i, 'manually'],
  [/\bany ?more\b|\bany longer\b/i, 'no longer'],
  [/\bhas to be\b|\bhave to be\b/i, 'must be'],
  [/\b(road|vault|house|errand|journey|shelf|desk|spill)\b/i, 'a word of NAMES'],
];

/** Verbs with which a hint begins. */
const IMPERATIVES = new Set(
  `add allow approve ask await call change check choose close configure connect copy correct create declare define delete
  disable do enable encode export fix flatten free handle install keep leave let list lock log make mount move name open pass
  post put raise read register remove rename repeat replace report request require restart restore retry return review revoke run
  save see select send serve set shorten sign split start stop store try update upgrade use wait wrap write`.split(
    /\s+/,
  ),
);

/** Finds every `new TenonError` of a file. Texts in variables of the same file, and in their branches, are resolved. */
export function findErrorSites(source: Source): ErrorSite[] {
  const sites: ErrorSite[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && node.expression.getText() === 'TenonError') sites.push(readSite(source, node));
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return sites;
}

function readSite({ path, tree }: Source, node: ts.NewExpression): ErrorSite {
  const [code, summary, details] = node.arguments ?? [];
  const members = new Map<string, ts.Expression | undefined>();
  for (const member of listMembers(details)) {
    if (ts.isPropertyAssignment(member)) members.set(member.name.getText(), member.initializer);
    if (ts.isShorthandPropertyAssignment(member)) members.set(member.name.text, member.name);
  }
  const readMember = (name: string) => [...readTexts(members.get(name))];
  return {
    place: `${path}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`,
    codes: [...readTexts(code)].filter(text => /^[a-z]+\/[a-z-]+$/.test(text)),
    summary: [...readTexts(summary)],
    expected: readMember('expected'),
    received: readMember('received'),
    hint: readMember('hint'),
    details: new Set(members.keys()),
  };
}

function* listMembers(details: ts.Expression | undefined): Generator<ts.ObjectLiteralElementLike> {
  const object = details && ts.isIdentifier(details) ? findInitializer(details) : details;
  if (!object || !ts.isObjectLiteralExpression(object)) return;
  for (const member of object.properties) {
    yield member;
    if (!ts.isSpreadAssignment(member)) continue;
    for (const branch of listBranches(member.expression)) yield* listMembers(branch);
  }
}

/** The texts that an expression may be. Values from elsewhere give none. */
function* readTexts(expression: ts.Expression | undefined): Generator<string> {
  for (const branch of listBranches(expression)) {
    if (ts.isStringLiteralLike(branch)) yield branch.text;
    if (ts.isTemplateExpression(branch))
      yield branch.head.text + branch.templateSpans.map(({ literal }) => VALUE + literal.text).join('');
    if (!ts.isIdentifier(branch)) continue;
    yield* readTexts(findInitializer(branch));
    for (const argument of findArguments(branch)) if (!ts.isIdentifier(argument)) yield* readTexts(argument);
  }
}

function* listBranches(expression: ts.Expression | undefined): Generator<ts.Expression> {
  if (!expression) return;
  if (ts.isParenthesizedExpression(expression)) yield* listBranches(expression.expression);
  else if (ts.isConditionalExpression(expression)) {
    yield* listBranches(expression.whenTrue);
    yield* listBranches(expression.whenFalse);
  } else if (ts.isBinaryExpression(expression) && /^(\?\?|\|\||&&)$/.test(expression.operatorToken.getText())) {
    yield* listBranches(expression.left);
    yield* listBranches(expression.right);
  } else yield expression;
}

/** Looks for `const name = …` in the blocks around an identifier. */
function findInitializer(name: ts.Identifier): ts.Expression | undefined {
  for (let scope: ts.Node | undefined = name.parent; scope; scope = scope.parent) {
    if (!ts.isBlock(scope) && !ts.isSourceFile(scope)) continue;
    const declared = scope.statements
      .flatMap(statement => (ts.isVariableStatement(statement) ? [...statement.declarationList.declarations] : []))
      .find(each => ts.isIdentifier(each.name) && each.name.text === name.text);
    if (declared) return declared.initializer;
  }
  return undefined;
}

/** If an identifier is a parameter of a named function: what the calls in the same file pass for it. */
function findArguments(name: ts.Identifier): ts.Expression[] {
  for (let scope: ts.Node | undefined = name.parent; scope; scope = scope.parent) {
    if (!ts.isFunctionLike(scope)) continue;
    const index = scope.parameters.findIndex(({ name: own }) => ts.isIdentifier(own) && own.text === name.text);
    if (index < 0) continue;
    const declared = scope.name ?? (ts.isVariableDeclaration(scope.parent) ? scope.parent.name : undefined);
    return declared
      ? findCalls(name.getSourceFile(), declared.getText()).flatMap(call => call.arguments[index] ?? [])
      : [];
  }
  return [];
}

function findCalls(tree: ts.SourceFile, name: string): ts.CallExpression[] {
  const calls: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText().replace(/^this\./, '') === name) calls.push(node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return calls;
}

/** A summary is a clause: lower case, no period at its end, no relative word at its beginning. */
export function findBadSummaries({ place, codes, summary }: ErrorSite): string[] {
  return summary.flatMap(text => [
    ...(/[.!?]$/.test(text) ? [`${place} ends with a period: ${text}`] : []),
    ...(RELATIVE.test(text) ? [`${place} begins with a relative word: ${text}`] : []),
    ...(/^[A-Z][a-z]/.test(text) && !codes.some(code => CROSSING.test(code))
      ? [`${place} begins upper case: ${text}`]
      : []),
    ...(/^(it|there|this is|this cannot)\b/.test(text) ? [`${place} does not name its subject: ${text}`] : []),
  ]);
}

/** `expected` comes after "Expected", and `received` after "got": noun phrases without a period. */
export function findBadValues({ place, expected, received }: ErrorSite): string[] {
  return [...expected, ...received].flatMap(text => [
    ...(/[.!]$/.test(text) ? [`${place} ends with a period: ${text}`] : []),
    ...(/^(that|to|it|this|there|what|who|whether|how)\b/i.test(text) ? [`${place} is no noun phrase: ${text}`] : []),
  ]);
}

/** A hint begins with a verb in lower case, in the imperative, or asks "did you mean". */
export function findBadHints({ place, hint }: ErrorSite): string[] {
  return hint
    .filter(text => !text.startsWith('did you mean') && !text.startsWith(VALUE))
    .filter(text => !IMPERATIVES.has(/^[a-z]+/.exec(text)?.[0] ?? '') || text.endsWith('.'))
    .map(text => `${place} is no imperative: ${text}`);
}

/** Phrases that have a standard form. */
export function findBannedPhrases(site: ErrorSite): string[] {
  return listTexts(site).flatMap(text =>
    BANNED.filter(([phrase]) => phrase.test(text)).map(([, use]) => `${site.place} say "${use}": ${text}`),
  );
}

export function findLongSentences(site: ErrorSite): string[] {
  return listTexts(site)
    .filter(text => text.split(/[.:;]\s/).some(sentence => sentence.split(/\s+/).length > MAX_WORDS))
    .map(text => `${site.place} has more than ${MAX_WORDS} words: ${text}`);
}

/** Codes that the table of the documentation does not have. */
export function findUndocumentedCodes({ place, codes }: ErrorSite, documented: ReadonlySet<string>): string[] {
  return codes.filter(code => !documented.has(code)).map(code => `${place} has no row in the documentation: ${code}`);
}

const listTexts = ({ summary, expected, received, hint }: ErrorSite): string[] => [
  ...summary,
  ...expected,
  ...received,
  ...hint,
];
