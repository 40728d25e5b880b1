// @ts-check
/** The server that is mounted everywhere. */
import { createServer, tool } from 'tenon';
import { z } from 'zod';

export const server = createServer({
  name: 'bench',
  version: '1.0.0',
  tools: {
    echo: tool({
      description: 'Gives back what it is given.',
      input: z.object({ text: z.string() }),
      run: ({ text }) => text,
    }),
  },
});
