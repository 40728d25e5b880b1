import { describe, expect, it, vi } from 'vitest';
import type { ElicitFormParams, FieldSchema } from '../../../../tenon/src/protocol/input-requests.js';
import { sanitizeText as real } from '../../security/screening/sanitize-text.js';
import { createFormResult, createFormView } from './form-view.js';
import { createUrlResult, createUrlView } from './url-view.js';

const sanitizeText = (text: string) => text.replace(/[\u0000-\u001f\u200b-\u202e]/g, '');
const options = { server: 'notes', sanitizeText };
const form = (
  properties: Record<string, unknown>,
  rest: Partial<ElicitFormParams['requestedSchema']> = {},
  message = 'Please',
) =>
  ({
    message,
    requestedSchema: { type: 'object', properties: properties as Record<string, FieldSchema>, ...rest },
  }) satisfies ElicitFormParams;
const url = (given: string, message = 'Sign in') => createUrlView({ mode: 'url', message, url: given }, options);
const codes = (given: string) => url(given).warnings.map(({ code }) => code);

describe('createFormView', () => {
  it('shows the server, the reason and the choices [elicitation.ui.server-identified] [elicitation.ui.decline-and-cancel] [elicitation.security.purpose-shown]', () => {
    const view = createFormView(form({}, {}, 'I am your bank\u202e\u001b'), options);
    expect(view).toMatchObject({
      server: 'notes',
      message: 'I am your bank',
      choices: ['submit', 'decline', 'cancel'],
    });
  });

  it('contains fields of every kind with their defaults [elicitation.form.defaults-prefilled] [elicitation.ui.review-and-modify]', () => {
    const { fields, warnings } = createFormView(
      form(
        {
          name: { type: 'string', title: 'Na\u200bme', minLength: 1, maxLength: 9, default: 'Ann', 'x-new': 1 },
          mail: { type: 'string', format: 'email', description: 'yours' },
          when: { type: 'string', format: 'date', default: 5 },
          age: { type: 'integer', minimum: 0, default: 7 },
          ok: { type: 'boolean', default: false },
          color: { type: 'string', enum: ['r', 'g'], enumNames: ['Red'], default: 'g' },
          size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
          many: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['a'], maxItems: 2 },
          titled: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A!' }] } },
          odd: { type: 'object', properties: {} },
          none: null,
        },
        { required: ['name'] },
      ),
      options,
    );
    const short = fields.map(({ kind, label, value, options: choices }) => [
      kind,
      label,
      value,
      choices.map(each => each.label).join(),
    ]);
    expect(short).toEqual([
      ['text', 'Name', 'Ann', ''],
      ['email', 'mail', undefined, ''],
      ['date', 'when', undefined, ''],
      ['integer', 'age', 7, ''],
      ['boolean', 'ok', false, ''],
      ['choice', 'color', 'g', 'Red,g'],
      ['choice', 'size', undefined, 'Small'],
      ['choices', 'many', ['a'], 'a,b'],
      ['choices', 'titled', undefined, 'A!'],
      ['unknown', 'odd', undefined, ''],
      ['unknown', 'none', undefined, ''],
    ]);
    expect(fields.map(({ required }) => required)).toEqual([true, ...Array(10).fill(false)]);
    expect(fields[0]?.limits).toEqual({ minLength: 1, maxLength: 9 });
    expect(warnings.map(({ code, field }) => [code, field])).toEqual([
      ['unknown-field', 'odd'],
      ['unknown-field', 'none'],
    ]);
  });

  it.each([
    ['password', {}],
    ['userPassword', {}],
    ['a', { title: 'GitHub personal access token' }],
    ['api_key', {}],
    ['APIKey', {}],
    ['key', {}],
    ['pin', { type: 'integer' }],
    ['card-number', { type: 'number' }],
    ['x', { format: 'password', default: 'hunter2' }],
    ['Пароль', {}],
    ['pass\u200bword', {}],
  ])('warns of a field that asks for a secret: %s %j', (name, schema) => {
    const properties = { [name]: { type: 'string', ...schema } };
    const view = createFormView(form(properties), options);
    expect(view.warnings.map(({ code }) => code)).toEqual(['asks-for-secret']);
    expect(view.fields[0]).toMatchObject({ secret: true, value: undefined });
    expect(view.refusalReason).toBeUndefined();
    expect(createFormView(form(properties), { ...options, secrets: 'refuse' }).refusalReason).toContain('notes');
  });

  it.each([
    ['username', 'string'],
    ['issue key', 'string'],
    ['monkey', 'string'],
    ['max_tokens', 'integer'],
    ['keep password', 'boolean'],
    ['compass', 'string'],
    ['shipping', 'string'],
  ])('does not warn of %s %s', (name, type) => {
    const view = createFormView(form({ [name]: { type } }), { ...options, secrets: 'refuse' });
    expect([view.warnings, view.refusalReason]).toEqual([[], undefined]);
  });

  it('warns of a message that asks for a secret, and of links, which it shows as text [elicitation.url.client-not-clickable]', () => {
    const view = createFormView(
      form(
        { a: { type: 'string', description: 'see www.evil.test' } },
        {},
        'Please enter your API key, see https://evil.test',
      ),
      options,
    );
    expect(view.warnings.map(({ code, field }) => [code, field])).toEqual([
      ['asks-for-secret', undefined],
      ['link-in-text', undefined],
      ['link-in-text', 'a'],
    ]);
  });

  it('limits fields, options and texts', () => {
    const many = Object.fromEntries(
      Array.from({ length: 150 }, (_, i) => [
        `f${i}`,
        { type: 'string', enum: Array(900).fill('x'), title: 't'.repeat(999) },
      ]),
    );
    const view = createFormView(form(many, {}, 'm'.repeat(1e6)), options);
    expect([view.fields.length, view.fields[0]?.options.length, view.message.length]).toEqual([100, 500, 4_001]);
    expect(view.fields[0]?.label).toHaveLength(201);
    expect(view.warnings.at(-1)?.text).toContain('50 further fields');
  });

  it('uses the configured text sanitizer', () => {
    const view = createFormView(form({}, {}, 'a\u202eb\u001b[31mc\u0000'), { ...options, sanitizeText: real });
    expect(view.message).not.toMatch(/[\u0000\u001b\u202e]/);
  });
});

describe('createFormResult', () => {
  const request = form(
    { name: { type: 'string', minLength: 2 }, ok: { type: 'boolean', default: true } },
    { required: ['name'] },
  );
  it('returns the entered values and the defaults [elicitation.response.content-on-accept] [elicitation.response.actions]', async () => {
    const submit = (values: Record<string, string | boolean | undefined>) =>
      createFormResult(request, { choice: 'submit', values });
    expect(await submit({ name: 'Ann', more: 'x' })).toEqual({ action: 'accept', content: { name: 'Ann', ok: true } });
    expect(await submit({ name: 'Ann', ok: undefined })).toEqual({ action: 'accept', content: { name: 'Ann' } });
    const odd = form(JSON.parse('{"__proto__":{"type":"string","default":"x"}}'));
    expect(JSON.stringify(await createFormResult(odd, { choice: 'submit', values: {} }))).toBe(
      '{"action":"accept","content":{"__proto__":"x"}}',
    );
  });

  it('reports invalid values before they are sent [elicitation.form.client-validates]', async () => {
    expect(await createFormResult(request, { choice: 'submit', values: { name: 'A' } })).toEqual({
      issue: expect.stringContaining('name'),
    });
    expect(await createFormResult(request, { choice: 'submit', values: {} })).toHaveProperty('issue');
    const count = form({ count: { type: 'number' } });
    expect(await createFormResult(count, { choice: 'submit', values: { count: Number.POSITIVE_INFINITY } })).toEqual({
      issue: 'at /count: expected a finite number, got Infinity',
    });
  });

  it('returns no content when declined, cancelled or closed [elicitation.response.no-content-otherwise] [elicitation.security.decline-any-time]', async () => {
    expect(await createFormResult(request, { choice: 'decline' })).toEqual({ action: 'decline' });
    expect(await createFormResult(request, { choice: 'cancel' })).toEqual({ action: 'cancel' });
    expect(await createFormResult(request, undefined)).toEqual({ action: 'cancel' });
  });
});

describe('createUrlView', () => {
  it('shows the complete URL with its domain separately, and opens nothing [elicitation.url.client-full-url] [elicitation.url.client-domain-highlighted] [elicitation.url.domain-and-consent] [elicitation.url.client-no-prefetch] [elicitation.url.client-consent] [elicitation.ui.server-identified] [elicitation.url-manual-retry] [elicitation.complete.manual-controls]', () => {
    const fetching = vi.spyOn(globalThis, 'fetch');
    const view = url('https://login.accounts.example.co.uk/a?b=c#d', 'From\u202e GitHub');
    expect(view).toEqual({
      kind: 'url',
      server: 'notes',
      message: 'From GitHub',
      url: 'https://login.accounts.example.co.uk/a?b=c#d',
      parts: { before: 'https://', host: 'login.accounts.example.co.uk', after: '/a?b=c#d' },
      unicodeHost: undefined,
      site: 'example.co.uk',
      warnings: [],
      choices: ['open', 'decline', 'cancel'],
      afterOpening: ['retry', 'cancel'],
    });
    expect(fetching).not.toHaveBeenCalled();
    fetching.mockRestore();
  });

  it.each([
    ['http://example.com/', ['not-https']],
    ['https://google.com@evil.test/', ['userinfo']],
    ['https://evil:evil@evil.test/', ['userinfo']],
    ['https://example.com:8443/', ['port']],
    ['https://example.com:443/', []],
    ['https://93.184.216.34/', ['ip-address']],
    ['https://0x7f.1/', ['ip-address', 'local']],
    ['https://2130706433/', ['ip-address', 'local']],
    ['https://[::1]/', ['ip-address', 'local']],
    ['https://[2606:2800::1]/', ['ip-address']],
    ['https://100.64.0.1/', ['ip-address', 'local']],
    ['https://168.63.129.16/', ['ip-address', 'local']],
    ['https://[::ffff:8.8.8.8]/', ['ip-address']],
    ['https://[64:ff9b::10.0.0.1]/', ['ip-address', 'local']],
    ['https://metadata.goog/', ['local']],
    ['https://nas.corp./', ['local']],
    ['http://localhost:3000/', ['not-https', 'port', 'local']],
    ['https://router.lan/', ['local']],
    ['https://intranet/', ['local']],
    ['https://bücher.example/', ['punycode']],
    ['https://xn--bcher-kva.example/', ['punycode']],
    ['https://аррӏе.com/', ['punycode', 'lookalike']],
    ['https://pаypal.com/', ['punycode', 'mixed-scripts', 'lookalike']],
    ['https://почта.рф/', ['punycode', 'punycode']],
    ['https://日本語テスト.jp/', ['punycode']],
    ['https://google.com.account.evil.test/', ['nested-domain']],
    ['https://www.example.com/', []],
    ['https:\\\\evil.test\\a', ['rewritten']],
    ['https://exa\u200bmple.com/', ['rewritten']],
    [' https://example.com/\n', ['rewritten']],
    [`https://example.com/${'a'.repeat(300)}`, ['long']],
  ])('warns of %s: %j [elicitation.url.client-suspicious-warning]', (given, expected) => {
    expect(codes(given)).toEqual(expected);
  });

  it('shows an international domain in both forms', () => {
    expect(url('https://bücher.example/')).toMatchObject({
      parts: { host: 'xn--bcher-kva.example' },
      unicodeHost: 'bücher.example',
    });
    expect(url('https://example.com/')).toMatchObject({ unicodeHost: undefined });
    const { before, host, after } = url('https://a.test:b@c.test:99/a.test').parts;
    expect(url('https://c.test:99@c.test:99/').parts.before).toBe('https://c.test:99@');
    expect([before, host, after]).toEqual(['https://a.test:b@', 'c.test:99', '/a.test']);
  });

  it('refuses schemes that a browser must not open, and reports that to the server', () => {
    for (const given of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'data:text/html,x',
      'ssh://a',
      'nowhere',
      '',
      5 as never,
      `https://a.test/${'x'.repeat(9_000)}`,
    ])
      expect(() => url(given)).toThrow(expect.objectContaining({ code: 'rpc/error', rpcCode: -32602 }));
  });

  it('results in a response without content [elicitation.url.accept-is-consent] [elicitation.accept-url-no-content]', () => {
    expect([
      createUrlResult('open'),
      createUrlResult('decline'),
      createUrlResult('cancel'),
      createUrlResult(undefined),
    ]).toEqual([{ action: 'accept' }, { action: 'decline' }, { action: 'cancel' }, { action: 'cancel' }]);
  });
});
