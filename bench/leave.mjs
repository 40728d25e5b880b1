// @ts-check
/** Has a program leave by itself when it is told to: only so is its profile written. */
process.on('SIGTERM', () => process.exit(0));
