// @ts-check
/** Tenon on the standard streams, with a schema for which no library is loaded. */

import { createServer, tool } from 'tenon';
import { serveStdio } from 'tenon/stdio';

const input = /** @type {const} */ ({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] });
const echo = tool({ description: 'Gives back what it is given.', input, run: ({ text }) => text });
await serveStdio(createServer({ name: 'bench', version: '1.0.0', tools: { echo } }));
