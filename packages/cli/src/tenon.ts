#!/usr/bin/env node
/** Entry point of the command `tenon`. */
import { runProcess } from './run-process.js';

await runProcess(process.argv.slice(2));
