// @ts-check
/** Responses of a bare Node server on stdio, by protocol version. The file imports nothing, so its start takes as long as that of Node. */

/** @typedef {{ [key: string]: any }} Json */

export const serverInfo = { name: 'bench', version: '1.0.0' };
const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const tools = [{ name: 'echo', description: 'Gives back what it is given.', inputSchema }];
const capabilities = { tools: {} };
const before = { resultType: 'complete' };
const after = { _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } };
const cache = { ttlMs: 0, cacheScope: 'private' };

/** The method that opens, what it and a list are answered with, and what a call is. @typedef {{ opening: string, opened: Json, listing: Json, result: (text: string) => Json }} Answers */

/** @type {Record<string, Answers>} */
export const answers = {
  '2025-11-25': {
    opening: 'initialize',
    opened: { protocolVersion: '2025-11-25', capabilities, serverInfo },
    listing: { tools },
    result: text => ({ content: [{ type: 'text', text }] }),
  },
  '2026-07-28': {
    opening: 'server/discover',
    opened: { ...before, supportedVersions: ['2026-07-28'], capabilities, ...cache, ...after },
    listing: { ...before, tools, ...cache, ...after },
    result: text => ({ ...before, content: [{ type: 'text', text }], ...after }),
  },
};

/** Calls for each line as it comes. @param {(line: string) => void} receive */
export function eachLine(receive) {
  let rest = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (/** @type {string} */ chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) receive(line);
  });
}

/** @param {Json} message */
export const write = message => void process.stdout.write(`${JSON.stringify(message)}\n`);
