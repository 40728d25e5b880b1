// @ts-check
/** The floor that writes once for all that has come together. `node joined.mjs REVISION`. */
import { answers } from './answers.mjs';

const { opening, opened, listing, result } = /** @type {import('./answers.mjs').Answers} */ (
  answers[process.argv[2] ?? '']
);
let rest = '';

/** @param {string} line */
function answer(line) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return '';
  const said = method === 'tools/call' ? result(params.arguments.text) : method === opening ? opened : listing;
  return `${JSON.stringify({ jsonrpc: '2.0', id, result: said })}\n`;
}

process.stdin.setEncoding('utf8');
process.stdin.on('data', (/** @type {string} */ chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  let text = '';
  for (const line of lines) text += answer(line);
  if (text !== '') process.stdout.write(text);
});
