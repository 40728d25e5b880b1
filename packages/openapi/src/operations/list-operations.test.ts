import { connect, createServer, type JsonObject, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { DocumentSet } from '../document/document-set.js';
import { listOperations } from './list-operations.js';

const operation = (more: object = {}) => ({ responses: {}, ...more });
/** Creates a document, and the files beside it that can be read. */
const createDocument = (paths: object, more: object = {}, files: Readonly<Record<string, object>> = {}) =>
  new DocumentSet(
    {
      value: { openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths, ...more } as JsonObject,
      location: 'file:///api/openapi.json',
    },
    async location => {
      const found = files[decodeURIComponent(new URL(location).pathname)];
      if (found === undefined) throw new Error('file not found');
      return found as JsonObject;
    },
  );
const listNames = async (...args: Parameters<typeof listOperations>) =>
  (await listOperations(...args)).operations.map(({ name }) => name);

describe('listOperations', () => {
  it('joins parameters of the path and the operation, and the body, to one input', async () => {
    const {
      operations: [found],
    } = await listOperations(
      createDocument({
        '/pets/{id}': {
          parameters: [
            { in: 'path', name: 'id', required: true, schema: { type: 'integer' } },
            { in: 'query', name: 'fields', explode: false, schema: { type: 'array', items: { type: 'string' } } },
          ],
          put: operation({
            operationId: 'replacePet',
            summary: 'Replace a pet',
            parameters: [
              { in: 'query', name: 'fields', description: 'What to return', schema: { type: 'string' } },
              { in: 'header', name: 'Authorization', schema: { type: 'string' } },
            ],
            requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
          }),
        },
      }),
    );
    expect(found).toEqual({
      name: 'replacePet',
      title: 'Replace a pet',
      description: 'Replace a pet',
      method: 'PUT',
      path: '/pets/{id}',
      parameters: [
        { property: 'id', name: 'id', in: 'path' },
        { property: 'fields', name: 'fields', in: 'query' },
      ],
      body: { property: 'body', type: 'application/json' },
      input: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          fields: { description: 'What to return', type: 'string' },
          body: { type: 'object' },
        },
        required: ['id', 'body'],
        additionalProperties: false,
      },
    });
  });

  it('includes referenced schemas, also recursive ones', async () => {
    const {
      operations: [found],
    } = await listOperations(
      createDocument(
        { '/nodes': { post: operation({ requestBody: { $ref: '#/components/requestBodies/Node' } }) } },
        {
          components: {
            requestBodies: {
              Node: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } } },
            },
            schemas: {
              Node: {
                type: 'object',
                xml: { name: 'node' },
                properties: {
                  id: { type: 'string', readOnly: true },
                  example: { type: 'string' },
                  next: { $ref: '#/components/schemas/Node' },
                },
              },
            },
          },
        },
      ),
    );
    expect(found?.input).toMatchObject({
      properties: { body: { $ref: '#/$defs/Node' } },
      $defs: {
        Node: {
          type: 'object',
          properties: { example: { type: 'string' }, next: { $ref: '#/$defs/Node' } },
        },
      },
    });
    expect(JSON.stringify(found?.input)).not.toMatch(/readOnly|xml/);
  });

  it('returns unique names that all hosts accept', async () => {
    const paths = {
      '/a/{b}': { get: operation(), delete: operation({ operationId: 'get_a_b' }) },
      '/c': { get: operation({ operationId: `ж${'x'.repeat(100)}` }), post: operation({ operationId: '…' }) },
    };
    const names = await listNames(createDocument(paths));
    expect(names).toEqual(['get_a_b', 'get_a_b_2', 'x'.repeat(64), 'post_c']);
  });

  it('selects by pattern, tag and method', async () => {
    const document = createDocument({
      '/pets': {
        get: operation({ operationId: 'listPets', tags: ['pets'] }),
        post: operation({ operationId: 'addPet' }),
      },
      '/shops/{id}': { get: operation({ operationId: 'getShop' }) },
    });
    expect(await listNames(document, { include: ['GET /*'] })).toEqual(['listPets', 'getShop']);
    expect(await listNames(document, { include: ['addpet', '/shops/*'] })).toEqual(['addPet', 'getShop']);
    expect(await listNames(document, { exclude: ['/pets'] })).toEqual(['getShop']);
    expect(await listNames(document, { tags: ['pets'] })).toEqual(['listPets']);
    expect(await listNames(document, { readOnly: true })).toEqual(['listPets', 'getShop']);
  });

  it('reports webhooks and callbacks as left out, because the API sends them', async () => {
    const callbacks = { onSold: { '{$request.body#/url}': { post: operation() } } };
    const document = createDocument(
      { '/sales': { post: operation({ operationId: 'watchSales', callbacks }) } },
      { webhooks: { newPet: { post: operation() }, petLeft: { post: operation() } } },
    );
    const { leftOut, changed, taken } = await listOperations(document);
    expect(taken.map(({ name }) => name)).toEqual(['watchSales']);
    expect(leftOut).toEqual([
      { operation: 'webhooks', reason: 'the API sends these requests (2), and no client calls them' },
    ]);
    expect(changed).toEqual([
      { tool: 'watchSales', changes: ['its callbacks are left out, because the API sends them: onSold'] },
    ]);
  });

  it.each([
    ['other.yaml#/Pet', 'file not found'],
    ['../pets.yaml#/Pet', 'outside of the folder'],
    ['https://other.example/pets.yaml#/Pet', 'another origin'],
    ['#/components/schemas/None', 'not found'],
    ['#/components/schemas/__proto__', 'not found'],
    ['#/paths/~1a/get/requestBody', 'refers to itself'],
  ])('omits an operation with the reason when a part is the reference %s, and keeps others', async ($ref, text) => {
    const document = createDocument({
      '/a': { get: operation({ requestBody: { $ref } }) },
      '/b': { get: operation({ parameters: [{ $ref }] }), put: { $ref }, delete: operation({ operationId: 'kept' }) },
      '/c': { $ref },
    });
    const { operations, leftOut } = await listOperations(document);
    expect(operations.map(({ name }) => name)).toEqual(['kept']);
    expect(leftOut.map(each => each.operation)).toEqual(['GET /a', 'GET /b', 'PUT /b', '/c']);
    for (const { reason } of leftOut) expect(reason).toContain(text);
  });

  it('accepts any value for a missing schema, and reports it', async () => {
    const schema = { type: 'object', properties: { pet: { $ref: '#/components/schemas/None' } } };
    const content = { 'application/json': { schema } };
    const { operations, changed } = await listOperations(
      createDocument({ '/a': { post: operation({ operationId: 'a', requestBody: { content } }) } }),
    );
    expect(operations[0]?.input.properties).toEqual({ body: { type: 'object', properties: { pet: {} } } });
    expect(changed).toEqual([
      { tool: 'a', changes: [expect.stringContaining('#/components/schemas/None: not found')] },
    ]);
  });

  it('follows references, also to files beside the document', async () => {
    const document = createDocument(
      {
        '/pets/{id}': {
          parameters: [{ $ref: 'shared/parameters.yml#/id' }],
          get: { $ref: 'pets/get%20pet.yml' },
          delete: { $ref: '#/x-operations/remove' },
        },
        '/shops': { $ref: 'shops.yml#/paths/all' },
      },
      { 'x-operations': { remove: operation({ operationId: 'removePet' }) } },
      {
        '/api/pets/get pet.yml': operation({
          operationId: 'getPet',
          parameters: [{ $ref: '../shared/parameters.yml#/fields' }],
        }),
        '/api/shared/parameters.yml': {
          id: { in: 'path', name: 'id', required: true, schema: { $ref: '#/uuid' } },
          fields: { in: 'query', name: 'fields', schema: { $ref: './models.yml#/Fields' } },
          uuid: { type: 'string', format: 'uuid' },
        },
        '/api/shared/models.yml': { Fields: { type: 'array', items: { $ref: 'field.json' } } },
        '/api/shared/field.json': { enum: ['name', 'age'] },
        '/api/shops.yml': { paths: { all: { get: operation({ operationId: 'listShops' }) } } },
      },
    );
    const { operations, leftOut, changed } = await listOperations(document);
    expect({ leftOut, changed }).toEqual({ leftOut: [], changed: [] });
    expect(operations.map(({ name, method }) => `${method} ${name}`)).toEqual([
      'GET getPet',
      'DELETE removePet',
      'GET listShops',
    ]);
    expect(operations[0]?.input).toEqual({
      type: 'object',
      properties: { id: { $ref: '#/$defs/uuid' }, fields: { $ref: '#/$defs/Fields' } },
      required: ['id'],
      additionalProperties: false,
      $defs: {
        uuid: { type: 'string', format: 'uuid' },
        Fields: { type: 'array', items: { $ref: '#/$defs/field' } },
        field: { enum: ['name', 'age'] },
      },
    });
    expect(operations[1]?.input).toMatchObject({ properties: { id: { $ref: '#/$defs/uuid' } }, required: ['id'] });
  });

  /** Names of keywords, of OpenAPI and JSON Schema, that are also names of properties. */
  const NAMES = [
    'example',
    'nullable',
    'discriminator',
    'xml',
    'readOnly',
    'required',
    '$ref',
    'type',
    'enum',
    'default',
  ];

  it('keeps properties with names of keywords', async () => {
    const properties = Object.fromEntries(NAMES.map(name => [name, { type: 'string', nullable: name === 'xml' }]));
    const content = { 'application/json': { schema: { type: 'object', required: NAMES, properties } } };
    const { operations, changed } = await listOperations(
      createDocument({ '/a': { post: operation({ requestBody: { content } }) } }),
    );
    expect(changed).toEqual([]);
    const converted = NAMES.map(name => [name, { type: name === 'xml' ? ['string', 'null'] : 'string' }]);
    expect(operations[0]?.input.properties).toMatchObject({
      body: { required: NAMES, properties: Object.fromEntries(converted) },
    });
  });

  it.each<[string, object, unknown, boolean]>([
    [
      'an exclusive minimum',
      { type: 'number', minimum: 0, exclusiveMinimum: true },
      { type: 'number', exclusiveMinimum: 0 },
      false,
    ],
    ['an inclusive maximum', { maximum: 5, exclusiveMaximum: false }, { maximum: 5 }, false],
    ['an exclusive minimum without a limit', { exclusiveMinimum: true }, {}, false],
    ['a file', { type: 'file' }, { type: 'string' }, false],
    ['a tuple', { items: [{ type: 'string' }] }, { prefixItems: [{ type: 'string' }] }, false],
    [
      'null for an enum',
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
      false,
    ],
    [
      'null for schemas',
      { allOf: [{ type: 'object' }], nullable: true },
      { anyOf: [{ allOf: [{ type: 'object' }] }, { type: 'null' }] },
      false,
    ],
    ['an example', { type: 'string', example: 'a' }, { examples: ['a'], type: 'string' }, false],
    ['a required flag', { type: 'string', required: true }, { type: 'string' }, false],
    ['an unknown type', { type: 'money', minLength: 1 }, { minLength: 1 }, true],
    ['an invalid pattern', { type: 'string', pattern: '(?i)[a' }, { type: 'string' }, true],
    ['an invalid length', { maxLength: '5', multipleOf: 0 }, {}, true],
    ['an empty enum', { enum: [] }, {}, true],
    [
      'a member that is no schema',
      { properties: { a: 'text', b: {} }, patternProperties: { '(?i)x': {} } },
      { properties: { b: {} }, patternProperties: {} },
      true,
    ],
    ['a list in place of schemas', { properties: [], not: 'x' }, {}, true],
    ['ids and anchors', { $id: 'x', $schema: 'y', $anchor: 'z', id: 'a', type: 'string' }, { type: 'string' }, false],
  ])('corrects a schema with %s so that it compiles', async (_, schema, expected, isReported) => {
    const parameters = [{ in: 'query', name: 'x', schema }];
    const { operations, changed, leftOut } = await listOperations(
      createDocument({ '/a': { get: operation({ operationId: 'a', parameters }) } }),
    );
    expect(leftOut).toEqual([]);
    expect(operations[0]?.input.properties).toEqual({ x: expected });
    expect(changed.length).toBe(isReported ? 1 : 0);
  });

  it('requires no read-only property, also behind a reference', async () => {
    const schema = {
      type: 'object',
      required: ['id', 'key', 'name'],
      properties: { id: { type: 'string', readOnly: true }, key: { $ref: '#/Key' }, name: { type: 'string' } },
    };
    const { operations } = await listOperations(
      createDocument(
        { '/a': { post: operation({ requestBody: { content: { 'application/json': { schema } } } }) } },
        { Key: { type: 'string', readOnly: true } },
      ),
    );
    expect(operations[0]?.input.properties).toEqual({
      body: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
  });
});

describe('the schema of a body', () => {
  const list = async (schema: object, schemas: object = {}) => {
    const { operations, changed } = await listOperations(
      createDocument(
        { '/a': { post: operation({ requestBody: { content: { 'application/json': { schema } } } }) } },
        { components: { schemas } },
      ),
    );
    const { properties, $defs } = operations[0]?.input ?? {};
    return { body: (properties as JsonObject | undefined)?.body, $defs, changes: changed[0]?.changes };
  };
  const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` });

  it('requires no read-only property of another part of `allOf`', async () => {
    const schemas = { Base: { properties: { id: { readOnly: true }, name: {} } } };
    const { body } = await list({ allOf: [refer('Base'), { required: ['id', 'name'] }], required: ['id'] }, schemas);
    expect(body).toEqual({ allOf: [{ $ref: '#/$defs/Base' }, { required: ['name'] }] });
    const nested = await list({ allOf: [{ properties: { a: { required: ['id'] } } }, refer('Base')] }, schemas);
    expect(nested.body).toMatchObject({ allOf: [{ properties: { a: { required: ['id'] } } }, {}] });
  });

  it('accepts a value of two forms of `oneOf`', async () => {
    const { body } = await list({ oneOf: [{ type: 'integer' }, { type: 'number' }] });
    expect(body).toEqual({ anyOf: [{ type: 'integer' }, { type: 'number' }] });
  });

  const kind = { required: ['kind'], properties: { kind: { type: 'string' } } };
  it('selects its forms by the values of a discriminator', async () => {
    const schemas = { Cat: kind, Dog: kind, Fox: { properties: { kind: { const: 'fox' } } } };
    const mapping = { cat: '#/components/schemas/Cat', kitten: 'Cat', fox: 'Fox', none: 'https://other.example/a' };
    const forms = ['Cat', 'Dog', 'Fox'].map(refer);
    const { body } = await list({ oneOf: forms, discriminator: { propertyName: 'kind', mapping } }, schemas);
    expect(body).toEqual({
      anyOf: [
        { $ref: '#/$defs/Cat', properties: { kind: { enum: ['cat', 'kitten'] } }, required: ['kind'] },
        { $ref: '#/$defs/Dog' },
        { $ref: '#/$defs/Fox' },
      ],
    });
  });

  it('offers the schemas that inherit from one with a discriminator', async () => {
    const mapping = { cat: 'Cat', pet: 'Pet' };
    const schemas = {
      Pet: { ...kind, discriminator: { propertyName: 'kind', mapping } },
      Cat: { allOf: [refer('Pet'), { properties: { friend: refer('Pet') } }] },
    };
    const { body, $defs, changes } = await list(refer('Pet'), schemas);
    const forms = {
      anyOf: [
        { $ref: '#/$defs/Cat', properties: { kind: { enum: ['cat'] } }, required: ['kind'] },
        { $ref: '#/$defs/Pet' },
      ],
    };
    expect(body).toEqual(forms);
    expect($defs).toEqual({ Pet: kind, Cat: { allOf: [{ $ref: '#/$defs/Pet' }, { properties: { friend: forms } }] } });
    expect(changes).toBeUndefined();
    const names = Array.from({ length: 17 }, (_, index) => `Form${index}`);
    const many = {
      Pet: {
        ...kind,
        discriminator: { propertyName: 'kind', mapping: Object.fromEntries(names.map(name => [name, name])) },
      },
    };
    const limited = await list(refer('Pet'), many);
    expect(limited.body).toEqual({ $ref: '#/$defs/Pet' });
    expect(limited.changes?.join()).toContain(
      'the 17 schemas that inherit from #/components/schemas/Pet are not offered',
    );
  });
});

describe('a parameter of a document', () => {
  const list = async (parameters: readonly object[], more: object = {}) => {
    const { operations, changed } = await listOperations(
      createDocument({ '/a': { get: operation({ parameters }) } }, more),
    );
    return { operation: operations[0], changes: changed[0]?.changes };
  };

  it('keeps its name in the request when the name is `__proto__`', async () => {
    const parameters = [{ in: 'query', name: '__proto__', required: true, schema: { type: 'string' } }];
    const { operation } = await list(parameters);
    expect(operation?.parameters).toEqual([{ property: 'proto', name: '__proto__', in: 'query' }]);
    expect(operation?.input).toMatchObject({ properties: { proto: { type: 'string' } }, required: ['proto'] });
  });

  it.each([{}, { name: null }, { name: '' }, { name: {} }])(
    'is left out with a report when its name is %j',
    async name => {
      const { operation, changes } = await list([{ in: 'query', ...name, schema: {} }]);
      expect(operation?.parameters).toEqual([]);
      expect(changes).toEqual(['a parameter in "query" is left out: it has no name']);
    },
  );

  it('has its name as the title when an argument cannot have it', async () => {
    const names = ['город', 'имя', 'X-Id'].map(name => ({ in: 'query', name, schema: {} }));
    const { operation } = await list([...names, { in: 'query', name: '城', schema: { title: 'City' } }]);
    expect(operation?.input.properties).toEqual({
      ...{ _: { title: 'город' }, __2: { title: 'имя' }, 'X-Id': {}, __3: { title: 'City' } },
    });
  });

  it('has the description beside its reference', async () => {
    const id = { in: 'query', name: 'id', description: 'Any id', schema: {} };
    const { operation } = await list([{ $ref: '#/id', description: 'Id of the pet' }], { id });
    expect(operation?.input.properties).toEqual({ id: { description: 'Id of the pet' } });
  });

  it('has a number of YAML as its name', async () => {
    const { operation } = await list([{ in: 'query', name: 1, schema: {} }]);
    expect(operation?.parameters).toEqual([{ property: '1', name: '1', in: 'query' }]);
  });
});

describe('a schema that applies itself to the same value', () => {
  const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  it.each<[string, Record<string, object>]>([
    ['a reference to itself', { A: schema('A') }],
    ['two references', { A: schema('B'), B: schema('A') }],
    ['`allOf`', { A: { allOf: [{ type: 'object' }, schema('B')] }, B: { anyOf: [schema('A'), { type: 'null' }] } }],
    [
      'a property between',
      { A: { properties: { b: schema('B') }, allOf: [schema('B')] }, B: { oneOf: [schema('A')] } },
    ],
  ])('accepts any value in its place, with a report: %s', async (_, schemas) => {
    const parameters = [{ in: 'query', name: 'a', schema: schema('A') }];
    const { operations, changed } = await listOperations(
      createDocument({ '/a': { get: operation({ parameters }) } }, { components: { schemas } }),
    );
    expect(changed[0]?.changes.join()).toMatch(/any value is accepted in place of a schema: .* refers to itself/);
    const [found] = operations;
    if (found === undefined) throw new Error('no operation');
    const server = createServer({
      name: 'a',
      version: '1',
      tools: { a: tool({ input: found.input, run: () => 'ok' }) },
    });
    const client = await connect(server);
    expect(await client.callTool('a', { a: {} })).toMatchObject({ content: [{ text: 'ok' }] });
    await client.close();
  });

  it('stays as it is when a property is between', async () => {
    const schemas = { A: { type: 'object', properties: { next: schema('A') } } };
    const { operations, changed } = await listOperations(
      createDocument(
        { '/a': { get: operation({ parameters: [{ in: 'query', name: 'a', schema: schema('A') }] }) } },
        { components: { schemas } },
      ),
    );
    expect(changed).toEqual([]);
    expect(operations[0]?.input).toMatchObject({ $defs: { A: { properties: { next: { $ref: '#/$defs/A' } } } } });
  });
});
