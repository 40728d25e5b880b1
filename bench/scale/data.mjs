// @ts-check
/** The tools and the values of this part: a result of 5,000 items, and an argument of 100,000 objects. */
import { z } from 'zod';

export const ITEMS = 5000;
export const OBJECTS = 100_000;
export const serverInfo = { name: 'bench', version: '1.0.0' };

export const items = Array.from({ length: ITEMS }, (_, id) => ({
  id,
  name: `item ${id}`,
  price: id / 4,
  inStock: id % 3 === 0,
  tags: ['a', `tag ${id % 10}`],
}));

export const itemsJsonSchema = /** @type {const} */ ({
  type: 'object',
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          name: { type: 'string' },
          price: { type: 'number', minimum: 0 },
          inStock: { type: 'boolean' },
          tags: { type: 'array', items: { type: 'string' } },
        },
        required: ['id', 'name', 'price', 'inStock', 'tags'],
        additionalProperties: false,
      },
    },
  },
  required: ['items'],
  additionalProperties: false,
});
export const itemsZodSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      id: z.int(),
      name: z.string(),
      price: z.number().min(0),
      inStock: z.boolean(),
      tags: z.array(z.string()),
    }),
  ),
});

export const objects = Array.from({ length: OBJECTS }, (_, id) => ({ id, name: `o${id}` }));
export const objectsZodSchema = z.object({
  objects: z.array(z.object({ id: z.number(), name: z.string() })),
});
export const objectsJsonSchema = /** @type {const} */ ({
  type: 'object',
  properties: {
    objects: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: { type: 'number' }, name: { type: 'string' } },
        required: ['id', 'name'],
      },
    },
  },
  required: ['objects'],
});
