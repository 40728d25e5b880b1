// @ts-check
/**
 * What the servers of all peers offer: the same tools, with the same zod schemas, made once. Each program takes
 * `{ mode, tools, more }`: how it is set up, the tools by name, and how many others are registered beside them.
 */
import { z } from 'zod';
import { toolFunctions } from './plain-tools.mjs';

/** @typedef {import('./plain-tools.mjs').Progress} Progress */
/** @typedef {{ name: string, description: string, shape: Record<string, import('zod').ZodType>, input: import('zod').ZodObject, run: (input: any, progress: Progress) => string | Promise<string> }} Tool */
/** @typedef {{ mode: string, tools: string[], more: number }} Setup */

export const serverInfo = { name: 'bench', version: '1.0.0' };

/** @type {Setup} */
export const setup = JSON.parse(process.argv[2] ?? '');

/** @param {string} name @param {string} description @param {Tool['shape']} shape @param {Tool['run']} run @returns {Tool} */
const tool = (name, description, shape, run) => ({ name, description, shape, input: z.object(shape), run });

const known = [
  tool('echo', 'Gives back what it is given.', { text: z.string() }, toolFunctions.echo),
  tool('length', 'Says how long a text is.', { text: z.string() }, toolFunctions.length),
  tool('hold', 'Says how long a text is, later.', { text: z.string() }, toolFunctions.hold),
  tool('page', 'Gives a text of so many lines.', { lines: z.number() }, toolFunctions.page),
  tool('steps', 'Tells how far it is.', { count: z.number(), pause: z.boolean() }, toolFunctions.steps),
];

/** One of the others: the like of what people register. @param {number} at */
const other = at =>
  tool(
    `find_${at}`,
    `Looks up record ${at}, and gives what is known of it in the form that is asked for.`,
    {
      text: z.string().describe('What to look for.'),
      limit: z.number().min(1).max(100).describe('How many to give at the most.'),
      size: z.enum(['small', 'medium', 'large']).describe('How much of each.'),
    },
    ({ text }) => `${text} of ${at}`,
  );

export const tools = [
  ...known.filter(({ name }) => setup.tools.includes(name)),
  ...Array.from({ length: setup.more }, (_, at) => other(at)),
];

/** A result as the protocol has it, for those who want it whole. @param {string} text */
export const result = text => ({ content: [{ type: /** @type {const} */ ('text'), text }] });
