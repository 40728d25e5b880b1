/** The server on the standard streams of a process of its own. What differs comes as JSON in the first argument. */
import { serveStdio } from 'tenon/stdio';
import { createEstate, createWays } from './server.js';

await serveStdio(createWays(JSON.parse(process.argv[2] ?? '{}'), createEstate()));
