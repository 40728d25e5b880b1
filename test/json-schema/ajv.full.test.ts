import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compilePeerSchema } from '../../packages/tenon/src/schemas/peer-schema.js';
import { schemas, values } from './random-schemas.js';

it('agrees with ajv on random values and schemas', () => {
  fc.assert(
    fc.property(schemas, fc.array(values, { minLength: 3, maxLength: 8 }), (schema, samples) => {
      // ajv keeps schemas by their `$id`. `multipleOf` has a precision, because it divides.
      const ajv = new Ajv2020({
        strict: false,
        validateFormats: false,
        multipleOfPrecision: 9,
        ownProperties: true,
        logger: false,
      });
      const isValid = ajv.compile(schema);
      const validator = compilePeerSchema(schema);
      for (const value of samples) {
        const expected = judgeByAjv(isValid, value);
        if (expected !== undefined) expect([value, validator.check(value).ok]).toEqual([value, expected]);
      }
    }),
    { numRuns: 150 },
  );
});

/** Undefined where the code that ajv has generated throws, as it does for some conditions beside `prefixItems`. */
function judgeByAjv(isValid: ValidateFunction, value: unknown): boolean | undefined {
  try {
    return isValid(value);
  } catch {
    return undefined;
  }
}
