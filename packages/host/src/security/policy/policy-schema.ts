import { DURATION_PATTERN, type JsonObject } from '@tenon/base';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const textOrTexts = { anyOf: [text, texts] };
const exact = { type: 'object', properties: { exact: textOrTexts }, required: ['exact'], additionalProperties: false };
const globs = { $ref: '#/$defs/globs' };
const pattern = { $ref: '#/$defs/pattern' };
const flag = { type: 'boolean' };

const createForm = (properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const conditions: JsonObject = {
  server: { ...globs, description: 'Name of the server.' },
  name: { ...globs, description: 'Name of the tool, prompt or method, or URI of the resource.' },
  tool: { ...globs, description: 'Name of the tool. The rule applies to tools only.' },
  prompt: { ...globs, description: 'Name of the prompt. The rule applies to prompts only.' },
  method: { ...globs, description: 'Name of a custom method. The rule applies to custom methods only.' },
  resource: {
    description: 'URI of the resource. The rule applies to resources only.',
    anyOf: [globs, createForm({ under: textOrTexts }), createForm({ host: textOrTexts })],
  },
  readOnly: { ...flag, description: 'The tool does not change anything. Only for trusted servers.' },
  destructive: { ...flag, description: 'The tool may destroy something. Only for trusted servers.' },
  idempotent: { ...flag, description: 'A repeated call has no further effect. Only for trusted servers.' },
  openWorld: { ...flag, description: 'The tool accesses other systems. Only for trusted servers.' },
  arguments: {
    type: 'object',
    description: 'Patterns of arguments, by path such as `options.path`.',
    additionalProperties: pattern,
  },
  only: { ...texts, description: 'Paths of all allowed arguments.' },
  principal: { anyOf: [globs, { type: 'null' }], description: 'Calling user. `null` matches anonymous callers.' },
  user: {
    ...createForm(
      {
        groups: { ...globs, description: 'Groups, one of which is in the claim `groups`.' },
        scopes: { ...textOrTexts, description: 'Scopes, all of which the token has.' },
        claims: {
          type: 'object',
          description: 'Patterns of claims, by name or dotted path.',
          additionalProperties: pattern,
        },
      },
      [],
    ),
    description: 'Conditions about the access token. Anonymous callers never match.',
  },
};

const action = { enum: ['allow', 'ask', 'deny'], description: 'Action for matching calls.' };
const because = { ...text, maxLength: 500, description: 'Reason, shown to the caller.' };
const { server: _, name: __, tool: ___, ...shortConditions } = conditions;
const createShortRule = (name: string): JsonObject =>
  createForm({ [name]: { ...text, pattern: '^[^/]+/.+', description: '`server/name`' }, because, ...shortConditions }, [
    name,
  ]);

const limit: JsonObject = {
  per: {
    type: 'array',
    items: { enum: ['principal', 'server', 'tool'] },
    description: 'Members with separate counters. Without it, all calls share one counter.',
  },
  match: { ...createForm(conditions, []), description: 'Conditions of the calls to count.' },
};

/** JSON Schema of a policy file, for editors. `parsePolicy` checks more, such as duplicate members. */
export const policySchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Tenon policy',
  ...createForm(
    {
      $schema: text,
      fallback: { ...action, description: 'Action for calls that match no rule. Default: ask.' },
      rules: {
        type: 'array',
        maxItems: 1000,
        description: 'The first rule that matches decides.',
        items: {
          anyOf: [
            createForm({ action, because, ...conditions }, ['action']),
            ...['allow', 'ask', 'deny'].map(createShortRule),
          ],
        },
      },
      quotas: {
        type: 'array',
        maxItems: 100,
        description: 'Maximum number of calls in a time.',
        items: createForm(
          {
            ...limit,
            calls: { type: 'integer', minimum: 1, description: 'Number of calls.' },
            window: {
              anyOf: [
                { type: 'number', exclusiveMinimum: 0 },
                { ...text, pattern: DURATION_PATTERN },
              ],
              description: 'Time in ms, or a text such as `1h` or `1 day`.',
            },
          },
          ['calls', 'window'],
        ),
      },
      rateLimits: {
        type: 'array',
        maxItems: 100,
        description: 'Maximum rate of calls.',
        items: createForm(
          {
            ...limit,
            perSecond: { type: 'number', exclusiveMinimum: 0, description: 'Average number of calls per second.' },
            burst: { type: 'number', exclusiveMinimum: 0, description: 'Number of calls at once. Default: perSecond.' },
          },
          ['perSecond'],
        ),
      },
    },
    ['rules'],
  ),
  $defs: {
    globs: {
      description: 'Text with `*` and `?`, several texts, or `{ "exact": … }` without wildcards.',
      anyOf: [text, texts, exact],
    },
    pattern: {
      description: 'Text with `*` and `?`, other value, or one operator.',
      anyOf: [
        { type: ['string', 'number', 'boolean', 'null'] },
        createForm({ in: { type: 'array' } }),
        exact,
        createForm({ min: { type: 'number' }, max: { type: 'number' } }, []),
        createForm({ under: textOrTexts }),
        createForm({ host: textOrTexts }),
      ],
    },
  },
};
