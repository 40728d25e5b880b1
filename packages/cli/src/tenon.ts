#!/usr/bin/env node
/** Entry point of the command `tenon`. */
import module from 'node:module';
import { join } from 'node:path';
import { getFolders } from './folders.js';

/** Node 22.8 and later keep compiled code, which saves a quarter of the start. Nothing is kept if the folder cannot be written. */
const { enableCompileCache }: { createRequire: unknown; enableCompileCache?: (folder: string) => unknown } = module;
// Others can write the default folder, in the temporary folder of the system.
enableCompileCache?.(process.env.NODE_COMPILE_CACHE || join(getFolders(process.env).cache, 'compiled'));

const { runProcess } = await import('./run-process.js');
await runProcess(process.argv.slice(2));
