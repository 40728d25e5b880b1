// @ts-check
/** Large calls, large answers, and long lists. */

/** @typedef {import('../load.mjs').Call} Call */

export const MIB = 1024 * 1024;
export const TOOLS = 1000;
const LINE = 'The quick brown fox "jumps" over the lazy dog, and back.\n';

/** A call with a text of about that many bytes, of which the tool says the length. @param {'length' | 'hold'} name @param {number} bytes @returns {Call} */
export function argument(name, bytes) {
  const text = LINE.repeat(bytes / LINE.length);
  return {
    method: 'tools/call',
    params: () => ({ name, arguments: { text } }),
    isRight: ({ answer }) => answer?.result?.content?.[0]?.text === String(text.length),
  };
}

/** A call that is answered with a text of about that many bytes. @param {number} bytes @returns {Call} */
export function page(bytes) {
  const lines = Math.floor(bytes / LINE.length);
  const text = LINE.repeat(lines);
  return {
    method: 'tools/call',
    params: () => ({ name: 'page', arguments: { lines } }),
    isRight: ({ answer }) => answer?.result?.content?.[0]?.text === text,
  };
}

/** All tools on one page. @type {Call} */
export const list = {
  method: 'tools/list',
  params: () => ({}),
  isRight: ({ answer }) => {
    const { tools = [], nextCursor } = answer?.result ?? {};
    return tools.length === TOOLS && tools[TOOLS - 1].name === `find_${TOOLS - 2}` && nextCursor === undefined;
  },
};
