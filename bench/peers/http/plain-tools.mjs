// @ts-check
/** The tools as somebody writes them who has no library: what they check, what they do, and what a list says of them. */

/** @typedef {{ [key: string]: any }} Json */
/** Says how far it is. @typedef {(progress: number, total: number) => unknown} Progress */
/** `fits`: whether the arguments are what the tool can work with. @typedef {{ fits: (given: Json | undefined) => boolean, run: (given: Json, progress: Progress) => string | Promise<string> }} PlainTool */

const LINE = 'The quick brown fox "jumps" over the lazy dog, and back.\n';
const hasText = (/** @type {Json | undefined} */ given) => typeof given?.text === 'string';

/** @type {Promise<unknown> | undefined} */
let released;

/** What the tools do, whoever serves them. */
export const toolFunctions = {
  /** @param {Json} given */
  echo: ({ text }) => text,
  /** @param {Json} given */
  length: ({ text }) => String(text.length),
  /** @param {Json} given */
  page: ({ lines }) => LINE.repeat(lines),
  /** Keeps what it is given until somebody sends the signal. @param {Json} given */
  hold: async ({ text }) => {
    released ??= new Promise(resolve => process.once('SIGUSR2', resolve));
    await released;
    return String(text.length);
  },
  /** Tells how far it is: at once, or each time after the machine has had a turn. @param {Json} given @param {Progress} progress */
  steps: async ({ count, pause }, progress) => {
    for (let step = 1; step <= count; step += 1) {
      if (pause) await new Promise(setImmediate);
      await progress(step, count);
    }
    return `${count} steps`;
  },
};

/** @type {[string, PlainTool][]} */
const known = [
  ['echo', { fits: hasText, run: toolFunctions.echo }],
  ['length', { fits: hasText, run: toolFunctions.length }],
  ['hold', { fits: hasText, run: toolFunctions.hold }],
  ['page', { fits: given => typeof given?.lines === 'number', run: toolFunctions.page }],
  [
    'steps',
    { fits: given => typeof given?.count === 'number' && typeof given.pause === 'boolean', run: toolFunctions.steps },
  ],
];

/** @type {(at: number) => [string, PlainTool]} */
const other = at => [`find_${at}`, { fits: hasText, run: ({ text }) => `${text} of ${at}` }];

/** @param {{ tools: string[], more: number }} setup */
export const plainTools = ({ tools, more }) =>
  new Map([...known.filter(([name]) => tools.includes(name)), ...Array.from({ length: more }, (_, at) => other(at))]);

/** @type {Record<string, Json>} */
const properties = {
  text: { type: 'string', description: 'What to look for.' },
  limit: { type: 'number', minimum: 1, maximum: 100, description: 'How many to give at the most.' },
  size: { type: 'string', enum: ['small', 'medium', 'large'], description: 'How much of each.' },
};

/** What `tools/list` gives: of the known tools as much as counts here, of the others what zod would say of them. @param {{ tools: string[], more: number }} setup */
export const plainListing = ({ tools, more }) => [
  ...tools.map(name => ({ name, inputSchema: { type: 'object' } })),
  ...Array.from({ length: more }, (_, at) => ({
    name: `find_${at}`,
    description: `Looks up record ${at}, and gives what is known of it in the form that is asked for.`,
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    },
  })),
];
