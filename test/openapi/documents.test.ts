import { describe, expect, it } from 'vitest';
import { tryDocument } from './try-document.js';

/** Documents of the same forms as those of well-known APIs. */
const DOCUMENTS = {
  'forms with nested objects, and files at another server': {
    openapi: '3.0.0',
    info: { title: 'Payments', version: '1' },
    servers: [{ url: 'https://api.example.com/' }],
    paths: {
      '/v1/customers': {
        post: {
          operationId: 'PostCustomers',
          requestBody: {
            content: {
              'application/x-www-form-urlencoded': {
                encoding: { metadata: { style: 'deepObject', explode: true } },
                schema: {
                  type: 'object',
                  properties: {
                    email: { type: 'string' },
                    metadata: { type: 'object', additionalProperties: { type: 'string' } },
                  },
                },
              },
            },
          },
          responses: {
            200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/customer' } } } },
          },
        },
      },
      '/v1/files': { post: { operationId: 'PostFiles', servers: [{ url: 'https://files.example.com/' }] } },
    },
    components: {
      schemas: {
        customer: {
          type: 'object',
          required: ['id'],
          properties: {
            id: { type: 'string' },
            parent: { nullable: true, anyOf: [{ $ref: '#/components/schemas/customer' }] },
          },
        },
      },
    },
  },
  'Swagger 2.0 with parameters of paths': {
    swagger: '2.0',
    info: { title: 'Cluster', version: '1' },
    paths: {
      '/api/v1/namespaces/{namespace}/pods': {
        parameters: [{ in: 'path', name: 'namespace', required: true, type: 'string' }],
        get: {
          operationId: 'listPods',
          produces: ['application/json'],
          parameters: [{ in: 'query', name: 'watch', type: 'boolean' }],
          responses: { 200: { schema: { $ref: '#/definitions/Pods' } } },
        },
        patch: {
          operationId: 'patchPods',
          consumes: ['application/strategic-merge-patch+json'],
          parameters: [{ in: 'body', name: 'body', required: true, schema: { $ref: '#/definitions/Pod' } }],
          responses: { 200: { schema: { $ref: '#/definitions/Pod' } } },
        },
      },
    },
    definitions: {
      Pod: { type: 'object', properties: { spec: { $ref: '#/definitions/Schema' } } },
      Pods: {
        type: 'object',
        required: ['items'],
        properties: { items: { type: 'array', items: { $ref: '#/definitions/Pod' } } },
      },
      Schema: { type: 'object', properties: { not: { $ref: '#/definitions/Schema' }, $ref: { type: 'string' } } },
    },
  },
  'servers of operations, and a relative one': {
    openapi: '3.0.0',
    info: { title: 'Cluster', version: '1' },
    servers: [{ url: '/' }],
    paths: { '/apis/': { get: { operationId: 'getApis', servers: [{ url: 'https://cluster.example' }] } } },
  },
  'OpenAPI 3.1 with unions and a webhook': {
    openapi: '3.1.0',
    info: { title: 'Models', version: '1' },
    servers: [{ url: 'https://api.example.com/v1' }],
    webhooks: { done: { post: {} } },
    paths: {
      '/responses': {
        post: {
          operationId: 'createResponse',
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['input'],
                  properties: {
                    input: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: ['string', 'null'] } }] },
                  },
                },
              },
            },
          },
          responses: {
            200: {
              content: {
                'application/json': {
                  schema: {
                    oneOf: [
                      { type: 'object', properties: { kind: { const: 'a' } } },
                      { type: 'object', properties: { kind: { const: 'b' } } },
                    ],
                  },
                },
                'text/event-stream': { schema: {} },
              },
            },
          },
        },
      },
    },
  },
};

/** Operations that are left out, by the names of the documents. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  'forms with nested objects, and files at another server': ['POST /v1/files'],
  'OpenAPI 3.1 with unions and a webhook': ['webhooks'],
};

describe('a document with', () => {
  it.each(Object.entries(DOCUMENTS))('%s is served, and its tools call the API', async (name, document) => {
    const { report, calls } = await tryDocument(document);
    expect(calls.filter(each => each.problem !== undefined)).toEqual([]);
    expect(calls).toHaveLength(report.taken.length);
    expect(report.leftOut.map(each => each.operation)).toEqual(LEFT_OUT[name] ?? []);
  });
});
