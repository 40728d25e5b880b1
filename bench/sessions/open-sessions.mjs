// @ts-check
/** Opens sessions over few connections, and leaves them: nobody is connected any more when they are counted. */
import { connectSocket } from '../connections.mjs';

/** @typedef {import('../connections.mjs').Connection} Connection */
/** Milliseconds from the first to the last, and of each. @typedef {{ took: number, each: number[] }} Opened */

const CONNECTIONS = 100;
const clientInfo = { name: 'bench', version: '1.0.0' };
let lastId = 0;

/** Each session is opened, and calls the tool `echo` once. @param {string} url @param {string} version @param {number} count @returns {Promise<Opened>} */
export async function openSessions(url, version, count) {
  /** @type {number[]} */
  const each = [];
  let begun = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: Math.min(CONNECTIONS, count) }, async () => {
      const session = { fields: '' };
      const connection = await connectSocket(new URL(url), version, session);
      while (begun < count) {
        begun += 1;
        const before = performance.now();
        await openOne(connection, session, version);
        each.push(performance.now() - before);
      }
      connection.close();
    }),
  );
  return { took: performance.now() - start, each };
}

/** @param {Connection} connection @param {import('../connections.mjs').Session} session @param {string} version */
async function openOne(connection, session, version) {
  session.fields = '';
  const params = { protocolVersion: version, capabilities: {}, clientInfo };
  const { answer, head } = await connection.send({ jsonrpc: '2.0', id: ++lastId, method: 'initialize', params });
  const [, id] = /^mcp-session-id: *(\S+)/im.exec(head) ?? [];
  if (id === undefined || answer?.result?.protocolVersion !== version)
    throw new Error(`no session was opened: ${head} ${JSON.stringify(answer)}`);
  session.fields = `MCP-Protocol-Version: ${version}\r\nMcp-Session-Id: ${id}\r\n`;
  await connection.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const text = `session ${id}`;
  const call = { name: 'echo', arguments: { text } };
  const reply = await connection.send({ jsonrpc: '2.0', id: ++lastId, method: 'tools/call', params: call });
  if (reply.answer?.result?.content?.[0]?.text !== text) throw new Error(`${text}: ${JSON.stringify(reply)}`);
}
