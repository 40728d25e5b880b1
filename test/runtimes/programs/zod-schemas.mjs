import { z } from 'zod';

export const byZod = {
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.object({ sum: z.number() }),
  form: z.object({ name: z.string() }),
};
