import { createServer, tool } from 'tenon';

/** A server without stores of its own: `tenon serve` gives it the store and the keys. */
export const server = createServer({
  name: 'notes',
  version: '1.0.0',
  tools: {
    time: tool({
      description: 'Tell the time',
      annotations: { readOnlyHint: true },
      run: () => new Date().toISOString(),
    }),
  },
});
