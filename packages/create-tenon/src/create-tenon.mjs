#!/usr/bin/env node
// @ts-check
/** `npm create tenon` runs `tenon init`. */
import { runInit } from '@tenon/cli/init';

await runInit(process.argv.slice(2));
