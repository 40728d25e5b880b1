import { extname } from 'node:path';

/** Tells if a path is that of a bundle, by its extension. */
export const isBundlePath = (path: string): boolean => extname(path).toLowerCase() === '.mcpb';
