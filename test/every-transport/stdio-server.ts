/** The server on the standard streams of a process of its own. What differs comes as JSON in the first argument. */
import { serveStdio } from 'tenon/stdio';
import { createEstate, createTestModes } from './server.js';

await serveStdio(createTestModes(JSON.parse(process.argv[2] ?? '{}'), createEstate()));
