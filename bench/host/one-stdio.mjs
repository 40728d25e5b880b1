// @ts-check
/** One server on the standard streams: `node one-stdio.mjs NUMBER TOOLS`. */
import { serveStdio } from 'tenon/stdio';
import { createNumberedServer } from './servers.mjs';

const [number = 0, tools = 1] = process.argv.slice(2).map(Number);
await serveStdio(createNumberedServer(number, tools));
