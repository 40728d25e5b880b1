// A process that serves the other end of the cases on stdio.
import { serveStdio } from 'tenon/stdio';
import { echoServer } from 'tenon/testing';

await serveStdio(echoServer);
