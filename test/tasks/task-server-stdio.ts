/** The works on the standard streams of a process of their own. */
import { serveStdio } from 'tenon/stdio';
import { createTaskServer } from './task-server.js';

await serveStdio(createTaskServer());
