// @ts-check
/** The servers of a host: fifty tools each, as people write them. */
import { createServer, tool } from 'tenon';

const SIZES = /** @type {const} */ (['small', 'medium', 'large']);

/** @param {number} number @param {number} tools */
export function createNumberedServer(number, tools) {
  return createServer({
    name: `server-${number}`,
    version: '1.0.0',
    tools: Object.fromEntries(
      Array.from({ length: tools }, (_, at) => [`find_${number}_${at}`, createNumberedTool(number, at)]),
    ),
  });
}

/** @param {number} number @param {number} at */
function createNumberedTool(number, at) {
  return tool({
    description: `Looks up record ${at} of system ${number}, and gives what is known of it in the form that is asked for.`,
    input: {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'What to look for.' },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many to give at the most.' },
        size: { type: 'string', enum: SIZES, description: 'How much of each.' },
      },
      required: ['text'],
    },
    run: ({ text }) => `${text} of ${number}/${at}`,
  });
}
