// @ts-check
/** Tenon on the standard streams, as its first page has it. It serves all protocol versions. */

import { createServer, tool } from 'tenon';
import { serveStdio } from 'tenon/stdio';
import { z } from 'zod';

const input = z.object({ text: z.string() });
const echo = tool({ description: 'Gives back what it is given.', input, run: ({ text }) => text });
await serveStdio(createServer({ name: 'bench', version: '1.0.0', tools: { echo } }));
