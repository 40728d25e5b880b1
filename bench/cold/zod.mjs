// @ts-check
/** The floor on stdio, with zod loaded and one schema made. `node zod.mjs REVISION`. */
import { z } from 'zod';
import '../peers/stdio/floor.mjs';

z.object({ text: z.string() });
