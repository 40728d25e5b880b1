/** The works on the standard streams of a process of their own. */
import { serveStdio } from 'tenon/stdio';
import { createWorks } from './works.js';

await serveStdio(createWorks());
