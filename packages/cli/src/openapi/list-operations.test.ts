import type { JsonObject } from 'tenon';
import { describe, expect, it } from 'vitest';
import { listOperations } from './list-operations.js';

const operation = (more: object = {}) => ({ responses: {}, ...more });
const createDocument = (paths: object, more: object = {}): JsonObject =>
  ({ openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths, ...more }) as JsonObject;
const listNames = (...args: Parameters<typeof listOperations>) => listOperations(...args).map(({ name }) => name);

describe('operations of an OpenAPI document', () => {
  it('have parameters of the path and the operation, and the body, as one input', () => {
    const [found] = listOperations(
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
      tags: [],
      parameters: [
        { property: 'id', name: 'id', in: 'path', joined: true },
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

  it('have the schemas that they refer to, also those that refer to themselves', () => {
    const [found] = listOperations(
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

  it('have names that all hosts accept, and no two the same', () => {
    const paths = {
      '/a/{b}': { get: operation(), delete: operation({ operationId: 'get_a_b' }) },
      '/c': { get: operation({ operationId: `ж${'x'.repeat(100)}` }), post: operation({ operationId: '…' }) },
    };
    const names = listNames(createDocument(paths));
    expect(names).toEqual(['get_a_b', 'get_a_b_2', 'x'.repeat(64), 'operation']);
  });

  it('are chosen by pattern, tag and method', () => {
    const document = createDocument({
      '/pets': {
        get: operation({ operationId: 'listPets', tags: ['pets'] }),
        post: operation({ operationId: 'addPet' }),
      },
      '/shops/{id}': { get: operation({ operationId: 'getShop' }) },
    });
    expect(listNames(document, { include: ['GET /*'] })).toEqual(['listPets', 'getShop']);
    expect(listNames(document, { include: ['addpet', '/shops/*'] })).toEqual(['addPet', 'getShop']);
    expect(listNames(document, { exclude: ['/pets'] })).toEqual(['getShop']);
    expect(listNames(document, { tags: ['pets'] })).toEqual(['listPets']);
    expect(listNames(document, { isReadOnly: true })).toEqual(['listPets', 'getShop']);
  });

  it.each([
    ['other.yaml#/Pet', 'refers to another document'],
    ['#/components/schemas/None', 'not found'],
    ['#/components/schemas/__proto__', 'not found'],
    ['#/paths/~1a/get/requestBody', 'refers to itself'],
  ])('with the reference %s are refused', ($ref, text) => {
    const document = createDocument({ '/a': { get: operation({ requestBody: { $ref } }) } });
    expect(() => listOperations(document)).toThrow(text);
  });
});
