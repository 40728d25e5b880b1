/** The fixture on the standard streams of a process of its own. Its protocol version comes as the first argument. */
import { serveStdio } from 'tenon/stdio';
import { createFixture } from './fixture-server.js';

await serveStdio(createFixture(process.argv[2] === undefined ? undefined : [process.argv[2]]));
