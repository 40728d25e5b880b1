// A process that serves the other end of the cases on stdio.

import { echoServer } from '@tenon/testing';
import { serveStdio } from 'tenon/stdio';

await serveStdio(echoServer);
