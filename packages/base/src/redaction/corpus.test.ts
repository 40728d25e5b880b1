import { webcrypto } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasSecretReference, maskArgument } from '../../../host/src/config/mask-secrets.js';
import { isSecretField } from '../../../host/src/proxy/input-requests/secret-fields.js';
import { formatErrorExcerpt } from '../../../host/src/sampling/error-excerpt.js';
import { describeSource } from '../../../host/src/security/lock/server-source.js';
import { maskArguments } from '../../../host/src/security/policy/mask-arguments.js';
import { redactCommand } from '../../../tenon/src/transports/stdio/command-redaction.js';
import { createStderrTail } from '../../../tenon/src/transports/stdio/stderr-tail.js';
import { describeIssues } from '../errors/issues.js';
import { redactText, redactValue } from './json-values.js';
import { isSecretName } from './secret-names.js';

// The marks of a lock are slow to derive by design.
beforeAll(() => {
  vi.spyOn(webcrypto.subtle, 'deriveBits').mockResolvedValue(new ArrayBuffer(16));
});
afterAll(() => {
  vi.restoreAllMocks();
});

const SECRET = 'hunter22';

/** Names of secrets in the labels of forms as well. */
const secretNames = `password passwd passphrase passcode userPassword user_password DB_PASSWORD dbpassword password2
  passwordConfirmation new-password PGPASSWORD MYSQL_PWD pwd jwt JWT otp totp OTP_CODE cvv cvv2 cvc pin pinCode card-number
  creditCardNumber ssn apiKey api_key API_KEY APIKey apikey x-api-key OPENAI_API_KEY API_KEY_2 API_KEY_PROD accessKey
  AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID SECRET_KEY_BASE privateKey private_key signing-key ssh_key encryptionKey token
  accessToken access_tokens refresh_token id_token authToken authtoken GITHUB_TOKEN x-auth-token botToken secret client_secret
  clientSecret webhookSecret secrets credential credentials GOOGLE_CREDENTIALS_JSON seedPhrase mnemonic recoveryCode
  verification_code code_verifier device_code connectionString master_key mfaCode`.split(/\s+/);
/** Names of secrets in identifiers, and ordinary words in the labels of forms. */
const secretIdentifiers =
  `Authorization Proxy-Authorization auth basic_auth cookie Set-Cookie session sessionId session_id
  Mcp-Session-Id signature bearer DB_PASS key STRIPE_KEY X-Key`.split(/\s+/);

const otherNames =
  `compass compassHeading monkey monkeys keyboard keyboard_layout keynote turkey hockey keyword keywords
  key_count publicKey public_key primaryKey primary_key foreign_key sortKey partition_key issueKey issue_key cacheKey cache_key
  group_key idempotencyKey maxTokens max_tokens total_tokens input_tokens tokenCount token_count tokenizer progressToken
  pageToken nextPageToken next_page_token continuationToken author authors authority passenger passive bypass passage
  password_length secretary secretariat shipping spin opinion pinned pinterest pins sessionCount session_name obsession
  cookie_policy cookieConsent signature_algorithm authorization_endpoint authorization_code_challenge hotpot optional option
  jwts_seen cvvx name url path port query tokens`.split(/\s+/);

const tokens = [
  'ghp_abcdefghijklmnop1234',
  'gho_abcdefghijklmnop1234',
  'ghs_abcdefghijklmnop1234',
  'ghu_abcdefghijklmnop1234',
  'ghr_abcdefghijklmnop1234',
  'github_pat_11ABCDEFG0abcdefghij_KLMNOP',
  'glpat-abcdefghij1234567890',
  'npm_abcdefghijklmnopqrstuvwxyz0123456789',
  'hf_abcdefghijklmnopqrstuvwxyz12345678',
  'AIzaSyA-abcdefghijklmnopqrstuvwxyz12345',
  'AKIAIOSFODNN7EXAMPLE',
  'ASIAIOSFODNN7EXAMPLE',
  'ya29.a0AfH6SMBabcdefghij',
  'sk-abcdefghijklmnopqrst',
  'sk-proj-abcdefghijklmnop',
  'sk-ant-api03-abcdefghijkl',
  'sk_live_abcdefghijklmnop',
  'rk_live_abcdefghijklmnop',
  'pk_test_abcdefghijklmnop',
  'gsk_abcdefghijklmnopqrst',
  'xai-abcdefghijklmnopqrst',
  'xoxb-1234567890-abcdefghij',
  'xoxp-1234567890-abcdefghij',
  'xapp-xoxe-1234567890abcdef',
  'whsec_abcdefghijklmnop',
  'shpat_abcdefghijklmnop',
  'dop_v1_abcdefghijklmnop',
  'SG.abcdefghijklmnopqrstuv.wxyz',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
];
const randomWord = 'wJalrXUtnFEMIxK7MDENGbPxRfiCY12345EXAMPLE';
/** Texts with a credential behind a scheme, in a URL or in a block, and the piece of it that must not be seen. */
const texts = [
  ['sent Bearer abcdefghijkl', 'abcdefghijkl'],
  ['bearer abc.def', 'abc.def'],
  ['DPoP abcdefghijkl', 'abcdefghijkl'],
  ['Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
  ['postgres://me:hunter22@db/x', SECRET],
  ['https://hunter22@host/x', SECRET],
  ['-----BEGIN PRIVATE KEY-----\nhunter22\n-----END PRIVATE KEY-----', SECRET],
] as const;

const ordinary = [
  'compass',
  '--monkey=x',
  'keyboard=us',
  '/home/me/keys.js',
  '/Users/Ada/Documents/Notes.md',
  '@modelcontextprotocol/server-everything',
  'npm_lifecycle_event',
  'npm_config_registry',
  'hf_hub_download',
  'pk_column_name',
  'task-force-of-many-people',
  'npm-run-all-parallel-server',
  'https://host/a/b.html',
  '2026-07-28',
  '--token-count',
  'Bearer tokens',
  'Bearer authentication',
  'Basic information',
  'Token expired',
  'token_count=5',
  'max_tokens=512',
  'author=ann',
  'nextPageToken=abc',
  'primary_key=id',
  'getUserByIdentifierOrName',
];

/** Each consumer by the text that it shows for a value with a name. */
const namedConsumers: Record<string, (name: string) => string | Promise<string>> = {
  'command lines (name=value)': name => redactCommand('run', [`${name}=${SECRET}`]),
  'command lines (--name value)': name => redactCommand('run', [`--${name}`, SECRET]),
  'output of servers': name => {
    const tail = createStderrTail();
    tail.push(new TextEncoder().encode(`${name}=${SECRET}\n`));
    return tail.getLines().join();
  },
  'arguments in a configuration': name => maskArgument(`--${name}=${SECRET}`, undefined),
  'arguments after a name in a configuration': name => maskArgument(SECRET, `--${name}`),
  'arguments before an approver': name => JSON.stringify(maskArguments({ deep: [{ [name]: SECRET }] })),
  'the audit log': name => JSON.stringify(redactValue({ deep: [{ [name]: SECRET }] })),
  'the source in a lock': async name =>
    JSON.stringify(
      await describeSource({ name: 'a', target: { command: 'x', args: [`--${name}=${SECRET}`] } } as never),
    ),
  'issues of a schema': name => describeIssues([{ path: [name], message: `received "${SECRET}"` }]),
  'errors of providers': name => formatErrorExcerpt(`refused: ${name}=${SECRET}`),
};

const textConsumers: Record<string, (text: string) => string | Promise<string>> = {
  'command lines': text => redactCommand('run', [text]),
  'output of servers': text => redactText(text),
  'arguments in a configuration': text => maskArgument(text, undefined),
  'arguments before an approver': text => JSON.stringify(maskArguments({ a: text })),
  'the audit log': text => JSON.stringify(redactValue([text])),
  'the source in a lock': async text =>
    JSON.stringify(await describeSource({ name: 'a', target: { command: 'x', args: [text] } } as never)),
  'issues of a schema': text => describeIssues([{ path: ['a'], message: `received ${text}` }]),
  'errors of providers': text => formatErrorExcerpt(text),
};

const findFailures = async <T>(cases: readonly T[], fails: (each: T) => boolean | Promise<boolean>): Promise<T[]> => {
  const results = await Promise.all(cases.map(fails));
  return cases.filter((_, at) => results[at]);
};

describe('isSecretName', () => {
  it('is tested by at least 60 true and 60 false cases', () => {
    expect(secretNames.length + secretIdentifiers.length).toBeGreaterThanOrEqual(60);
    expect(otherNames.length).toBeGreaterThanOrEqual(60);
  });

  it('classifies each name of the corpus', async () => {
    expect([...secretNames, ...secretIdentifiers].filter(name => !isSecretName(name))).toEqual([]);
    expect(otherNames.filter(isSecretName)).toEqual([]);
  });

  it.each(Object.entries(namedConsumers))('applies in %s', async (_, show) => {
    const isShown = async (name: string) => (await show(name)).includes(SECRET);
    expect(await findFailures([...secretNames, ...secretIdentifiers], isShown)).toEqual([]);
    expect(await findFailures(otherNames, async name => !(await isShown(name)))).toEqual([]);
  });

  it('applies in variables of a configuration', () => {
    const refers = (name: string) => hasSecretReference(`\${env:${name.replaceAll('-', '_')}}`);
    expect([...secretNames, ...secretIdentifiers].filter(name => !refers(name))).toEqual([]);
    expect(otherNames.filter(refers)).toEqual([]);
  });

  it('applies in fields of forms', () => {
    expect(secretNames.filter(name => !isSecretField({ name, type: 'string' }))).toEqual([]);
    const labels = otherNames.filter(
      name => !/^(?:password_length|token_?count|authorization_code_challenge)$/i.test(name),
    );
    expect(labels.filter(name => isSecretField({ name, type: 'string' }))).toEqual([]);
  });
});

describe('redactSecrets', () => {
  it.each(Object.entries(textConsumers))('applies in %s', async (name, show) => {
    const all = [...texts, ...tokens.map(token => [`got ${token}`, token.slice(-8)] as const)];
    expect(await findFailures(all, async ([text, secret]) => (await show(text)).includes(secret))).toEqual([]);
    // An approver must see the id of a file that a call reads, and such ids are random.
    if (name !== 'arguments before an approver') expect(await show(`got ${randomWord}`)).not.toContain(randomWord);
    expect(await findFailures(ordinary, async text => !(await show(text)).includes(text))).toEqual([]);
  });
});
