import type { JsonObject } from '@tenon/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import { judge, type ProtocolVersion, schemasPresent } from '../../../../../test/support/official-schema.js';
import { readSchema } from '../../../../../test/support/schema-file.js';
import { vocabularyOf } from '../../../../../test/support/vocabulary.js';
import * as codes from '../error-codes.js';
import { methods, notifications } from '../methods.js';
import type { Dialect, TransformContext } from './dialect.js';
import { called, calls, results } from './fixtures/arbitraries.js';
import { dialects, getDialect, getNewestDialect, negotiateDialect } from './index.js';

const runs = { numRuns: takeRuns(60) };
const older = dialects.filter(dialect => dialect !== getNewestDialect());

const down = (
  dialect: Dialect,
  kind: 'params' | 'result',
  method: string,
  value: JsonObject,
  about: TransformContext = {},
): JsonObject => dialect.transforms.encode[kind]?.(method)?.(value, about) ?? value;
const up = (
  dialect: Dialect,
  kind: 'params' | 'result',
  method: string,
  value: JsonObject,
  about: TransformContext = {},
): JsonObject => dialect.transforms.decode[kind]?.(method)?.(value, about) ?? value;

/** Whoever changes a part of it throws. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}

const requested = new Set(['sampling/createMessage', 'elicitation/create', 'roots/list']);

/** Whether a dialect has a method in some manner: also what is asked by a result is had. */
function has({ methods, inputRequests }: Dialect, method: string): boolean {
  return (
    methods.client.has(method) || methods.server.has(method) || (inputRequests === 'by-retry' && requested.has(method))
  );
}

/** The opening facts that each request of the newest protocol version carries: the dialects have no part in them. */
function opened(dialect: Dialect, from: 'client' | 'server', params: JsonObject): JsonObject {
  if (dialect.opening !== 'per-request' || from === 'server') return params;
  const facts = {
    'io.modelcontextprotocol/protocolVersion': dialect.protocolVersion,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { ...params, _meta: { ...(params._meta as JsonObject | undefined), ...facts } };
}

describe('the newest dialect', () => {
  it('transforms nothing', () => {
    const none = { params: undefined, result: undefined };
    expect(getNewestDialect().transforms).toEqual({ encode: none, decode: none });
  });
});

describe('dialects', () => {
  it('have exact version names [versioning.version-format]', () => {
    for (const dialect of dialects) expect(getDialect(dialect.protocolVersion)).toBe(dialect);
    for (const name of ['', '2024-11-5', '2024-11-05 ', '2099-01-01', '__proto__'])
      expect(getDialect(name)).toBeUndefined();
    expect([...dialects].sort((a, b) => (a.protocolVersion < b.protocolVersion ? 1 : -1))).toEqual(dialects);
  });

  it('are negotiated: the requested one, or the newest with a handshake [lifecycle.version.server-echoes, lifecycle.version.server-counteroffer]', () => {
    for (const { protocolVersion, opening } of dialects)
      expect(negotiateDialect(protocolVersion).protocolVersion).toBe(
        opening === 'handshake' ? protocolVersion : getNewestDialect('handshake').protocolVersion,
      );
    expect(negotiateDialect('1999-01-01')).toBe(getNewestDialect('handshake'));
  });

  it('contain only known methods', () => {
    for (const { methods: vocabulary } of dialects) {
      for (const name of [...vocabulary.client, ...vocabulary.server])
        expect([name, name in methods || name in notifications]).toEqual([name, true]);
    }
  });
});

/** Methods that the tasks extension adds to its protocol version. */
const extension = { client: ['tasks/get', 'tasks/update', 'tasks/cancel'], server: ['notifications/tasks'] };

describe.skipIf(!schemasPresent).each(dialects.map(dialect => [dialect.protocolVersion, dialect] as const))(
  'the methods of %s',
  (version, { methods: vocabulary, tasks }) => {
    it('equal those of its schema, plus those of the tasks extension where it applies [schema.union.client-requests, schema.union.server-requests, schema.union.client-notifications, schema.union.server-notifications]', () => {
      const { requests, notifications: notices } = vocabularyOf(readSchema(version as ProtocolVersion).definitions);
      for (const side of ['client', 'server'] as const) {
        const official = [...requests[side].keys(), ...notices[side].keys()];
        const added = tasks === 'by-extension' ? extension[side] : [];
        expect([...vocabulary[side]].sort()).toEqual([...new Set([...official, ...added])].sort());
      }
    });
  },
);

describe('error codes', () => {
  it('equal those of the specification, and use no others of its ranges [errors.legacy-range-not-allocated, errors.reserved-range-only-defined, errors.reserved-range-meaning]', () => {
    const {
      HEADER_MISMATCH,
      MISSING_CLIENT_CAPABILITY,
      UNSUPPORTED_VERSION,
      RESOURCE_NOT_FOUND,
      URL_ELICITATION_REQUIRED,
    } = codes;
    expect([HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION]).toEqual([-32020, -32021, -32022]);
    const inRanges = Object.values(codes).filter(code => code <= -32000 && code >= -32099);
    expect(inRanges.sort((a, b) => b - a)).toEqual([
      RESOURCE_NOT_FOUND,
      HEADER_MISMATCH,
      MISSING_CLIENT_CAPABILITY,
      UNSUPPORTED_VERSION,
      URL_ELICITATION_REQUIRED,
    ]);
  });
});

describe.skipIf(!schemasPresent).each(dialects.map(dialect => [dialect.protocolVersion, dialect] as const))(
  'messages to a peer of %s',
  (version, dialect) => {
    const official = schemasPresent ? judge(version as ProtocolVersion, { exact: true }) : undefined;
    const faults = (type: string, value: JsonObject) => official?.type(type, value) ?? [];

    it.each(Object.keys(results).filter(method => has(dialect, method)))(
      'fit the schema as the result of %s',
      method => {
        const [type, value] = results[method] as (typeof results)[string];
        fc.assert(
          fc.property(value, result => {
            expect(faults(type, down(dialect, 'result', method, frozen(result)))).toEqual([]);
          }),
          runs,
        );
      },
    );

    it('fit the schema as the result of tools/call, and keep the value', () => {
      fc.assert(
        fc.property(called, ({ tool, result }) => {
          const { outputSchema } = frozen(tool) as TransformContext;
          const response = down(dialect, 'result', 'tools/call', frozen(result), { outputSchema });
          expect(faults('CallToolResult', response)).toEqual([]);
          const [seen] = up(dialect, 'result', 'tools/list', down(dialect, 'result', 'tools/list', { tools: [tool] }))
            .tools as JsonObject[];
          const known = { outputSchema: seen?.outputSchema } as TransformContext;
          // The client reads an answer before and after it has looked up the tool.
          const received = up(dialect, 'result', 'tools/call', up(dialect, 'result', 'tools/call', response), known);
          if (outputSchema) expect(received.structuredContent).toEqual(result.structuredContent);
        }),
        { numRuns: takeRuns(300) },
      );
    });

    it.each(Object.keys(calls).filter(method => has(dialect, method)))('fit the schema as %s', method => {
      const [type, from, value] = calls[method] as (typeof calls)[string];
      fc.assert(
        fc.property(value, params => {
          // A visit is never asked of who did not declare that it can be.
          fc.pre(params.mode !== 'url' || version >= '2025-11-25');
          const response = opened(dialect, from, down(dialect, 'params', method, frozen(params)));
          const id = method.startsWith('notifications/') ? {} : { id: 1 };
          expect(faults(type, { jsonrpc: '2.0', ...id, method, params: response })).toEqual([]);
        }),
        runs,
      );
    });
  },
);

describe.each(older.map(dialect => [dialect.protocolVersion, dialect] as const))(
  'messages of a peer of %s',
  (_, dialect) => {
    it.each(Object.keys(results))('are unchanged after decoding and encoding as the result of %s', method => {
      const [, value] = results[method] as (typeof results)[string];
      fc.assert(
        fc.property(value, result => {
          const response = frozen(down(dialect, 'result', method, result));
          expect(down(dialect, 'result', method, up(dialect, 'result', method, response))).toEqual(response);
        }),
        runs,
      );
    });

    it.each(Object.keys(calls))('are unchanged after decoding and encoding as %s', method => {
      const [, , value] = calls[method] as (typeof calls)[string];
      fc.assert(
        fc.property(value, params => {
          const response = frozen(down(dialect, 'params', method, params));
          expect(down(dialect, 'params', method, up(dialect, 'params', method, response))).toEqual(response);
        }),
        runs,
      );
    });
  },
);

describe('a multiple choice', () => {
  const form = {
    requestedSchema: {
      type: 'object',
      properties: { days: { type: 'array', items: { type: 'string', enum: ['mo', 'tu'] } }, name: { type: 'string' } },
    },
  };
  const simple = getDialect('2025-06-18') as Dialect;

  it('becomes a line of text where forms have no such field', () => {
    const answer = { action: 'accept', content: { days: ['mo', 'tu'], name: 'a, b' } };
    const response = down(simple, 'result', 'elicitation/create', frozen(answer));
    expect(response).toEqual({ action: 'accept', content: { days: 'mo, tu', name: 'a, b' } });
    expect(up(simple, 'result', 'elicitation/create', response, { params: form as never })).toEqual(answer);
  });
});

describe('an output schema that is wrapped in an object', () => {
  const wrapping = getDialect('2025-11-25') as Dialect;

  it('is unwrapped unchanged, with its identifier and dialect', () => {
    for (const outputSchema of [
      { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'array' },
      { $id: 'https://example.com/own', $ref: '#/$defs/x', $defs: { x: {} } },
      { $ref: '#/$defs/x', $defs: { x: {} } },
      {},
    ]) {
      const tool = { name: 't', inputSchema: { type: 'object' }, outputSchema };
      const response = down(wrapping, 'result', 'tools/list', { tools: [frozen(tool)] });
      expect((response.tools as JsonObject[])[0]?.outputSchema).toMatchObject({ type: 'object', required: ['result'] });
      expect((up(wrapping, 'result', 'tools/list', response).tools as JsonObject[])[0]).toEqual(tool);
    }
  });
});
