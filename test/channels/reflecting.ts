// A process that serves the other end of the cases on stdio.
import { serveStdio } from 'tenon/stdio';
import { reflector } from 'tenon/testing';

await serveStdio(reflector);
