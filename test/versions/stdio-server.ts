/** The example on the standard streams of a process of its own. What differs comes as JSON in the first argument. */
import { serveStdio } from 'tenon/stdio';
import { createExample } from './server.js';

await serveStdio(createExample(JSON.parse(process.argv[2] ?? '{}')));
