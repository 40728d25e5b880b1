// @ts-check
/** The floor: bare Node that splits lines, parses them and answers canned. It checks nothing. `node floor.mjs REVISION`. */
import { answers, eachLine, write } from './answers.mjs';

const { opening, opened, listing, result } = /** @type {import('./answers.mjs').Answers} */ (
  answers[process.argv[2] ?? '']
);

eachLine(line => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'tools/call') write({ jsonrpc: '2.0', id, result: result(params.arguments.text) });
  else write({ jsonrpc: '2.0', id, result: method === opening ? opened : listing });
});
