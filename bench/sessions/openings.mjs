// @ts-check
/** Opens sessions over few connections, and leaves them: nobody is connected any more when they are counted. */
import { socketLane } from '../lanes.mjs';

/** @typedef {import('../lanes.mjs').Lane} Lane */
/** Milliseconds from the first to the last, and of each. @typedef {{ took: number, each: number[] }} Opened */

const LANES = 100;
const clientInfo = { name: 'bench', version: '1.0.0' };
let lastId = 0;

/** Each session is opened, and calls the tool `echo` once. @param {string} url @param {string} revision @param {number} count @returns {Promise<Opened>} */
export async function openSessions(url, revision, count) {
  /** @type {number[]} */
  const each = [];
  let begun = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: Math.min(LANES, count) }, async () => {
      const session = { fields: '' };
      const lane = await socketLane(new URL(url), revision, session);
      while (begun < count) {
        begun += 1;
        const before = performance.now();
        await openOne(lane, session, revision);
        each.push(performance.now() - before);
      }
      lane.close();
    }),
  );
  return { took: performance.now() - start, each };
}

/** @param {Lane} lane @param {import('../lanes.mjs').Session} session @param {string} revision */
async function openOne(lane, session, revision) {
  session.fields = '';
  const params = { protocolVersion: revision, capabilities: {}, clientInfo };
  const { answer, head } = await lane.send({ jsonrpc: '2.0', id: ++lastId, method: 'initialize', params });
  const [, id] = /^mcp-session-id: *(\S+)/im.exec(head) ?? [];
  if (id === undefined || answer?.result?.protocolVersion !== revision)
    throw new Error(`no session was opened: ${head} ${JSON.stringify(answer)}`);
  session.fields = `MCP-Protocol-Version: ${revision}\r\nMcp-Session-Id: ${id}\r\n`;
  await lane.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const text = `session ${id}`;
  const call = { name: 'echo', arguments: { text } };
  const came = await lane.send({ jsonrpc: '2.0', id: ++lastId, method: 'tools/call', params: call });
  if (came.answer?.result?.content?.[0]?.text !== text) throw new Error(`${text}: ${JSON.stringify(came)}`);
}
