// @ts-check
import { createServer, tool } from 'tenon';

/** @typedef {(args: { text: string }) => string} Run */

/**
 * A server with the tool `echo`.
 * @param {{ telemetry?: import('tenon/telemetry').Telemetry, wrap?: (run: Run) => Run }} options `wrap` instruments the tool
 */
export const createEchoServer = ({ telemetry, wrap = run => run }) =>
  createServer({
    name: 'bench',
    version: '1.0.0',
    tools: {
      echo: tool({
        input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        run: wrap(({ text }) => text),
      }),
    },
    ...(telemetry ? { telemetry } : {}),
  });
