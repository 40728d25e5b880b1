import type { FindingView, SignInPhase, SignInRequirement } from '@tenon/console/api';
import { getSpecificationPage } from '../../doctor/finding.js';

/** A requirement, with the findings and error codes that show that it is not met. */
interface KnownRequirement {
  readonly phase: SignInPhase;
  readonly document: string;
  readonly section: string;
  /** URL, or path of a page of the specification. */
  readonly page: string;
  readonly text: string;
  /** Ids of findings of the doctor, and codes of errors. */
  readonly shownBy: readonly string[];
}

const toRfc = (number: number, section: string): string =>
  `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`;

const rfc = (
  phase: SignInPhase,
  [number, section]: readonly [number, string],
  text: string,
  shownBy: readonly string[] = [],
): KnownRequirement => ({
  phase,
  document: `RFC ${number}`,
  section,
  page: toRfc(number, section),
  text,
  shownBy,
});

const mcp = (phase: SignInPhase, section: string, text: string, shownBy: readonly string[] = []): KnownRequirement => ({
  phase,
  document: 'MCP authorization',
  section,
  page: 'basic/authorization',
  text,
  shownBy,
});

const REQUIREMENTS: readonly KnownRequirement[] = [
  mcp(
    'challenge',
    'Authorization Server Discovery',
    'The server answers a request without a valid token with 401 and WWW-Authenticate.',
    ['authorization.challenge', 'authorization.forbidden'],
  ),
  rfc('challenge', [9728, '5.1'], 'WWW-Authenticate names the metadata of the resource in resource_metadata.', [
    'authorization.challenge',
  ]),
  rfc(
    'resource-metadata',
    [9728, '3.1'],
    'The metadata is at the well-known URL of the server: the well-known path stands between host and path.',
    ['auth/no-resource-metadata'],
  ),
  rfc(
    'resource-metadata',
    [9728, '3.3'],
    'resource is the URL of the server. A client must not use metadata of another resource.',
    ['auth/resource-mismatch'],
  ),
  rfc('resource-metadata', [9728, '2'], 'authorization_servers has at least one issuer.', ['auth/no-issuer']),
  rfc('issuer-metadata', [8414, '3.1'], 'The metadata of the issuer is at its well-known URL.', [
    'auth/no-issuer-metadata',
    'authorization.issuer',
  ]),
  rfc('issuer-metadata', [8414, '3.3'], 'issuer is identical to the issuer that the resource names.', [
    'auth/issuer-mismatch',
  ]),
  rfc('issuer-metadata', [9700, '4.4'], 'No endpoint lets one authorization server receive the codes of another.', [
    'auth/foreign-endpoint',
  ]),
  mcp('issuer-metadata', 'PKCE', 'code_challenge_methods_supported contains S256. A client must refuse others.', [
    'auth/no-pkce',
    'authorization.pkce',
  ]),
  mcp(
    'registration',
    'Client Registration Approaches',
    'The client is registered by hand, by a client ID metadata document, or dynamically.',
    ['auth/no-client', 'authorization.registration'],
  ),
  rfc('registration', [7591, '3.2.1'], 'A dynamic registration responds with 201 and client_id.', [
    'auth/registration',
  ]),
  rfc('registration', [8252, '7.3'], 'A redirect URI on loopback is accepted with any port.'),
  rfc('authorization', [7636, '4.3'], 'The request has code_challenge, with the method S256.'),
  rfc(
    'authorization',
    [8707, '2'],
    'The request has resource: the identifier of the server, as its metadata writes it.',
    ['sign-in.resource'],
  ),
  rfc('authorization', [6749, '10.12'], 'The response repeats state, so that it belongs to this request.'),
  rfc('authorization', [9207, '2.4'], 'iss of the response is the issuer of the request.', ['auth/foreign-answer']),
  rfc('token', [7636, '4.5'], 'The request has code_verifier, which proves who asked for the code.'),
  rfc('token', [8707, '2.2'], 'The request has the same resource, and the token is good for it only.', [
    'sign-in.resource',
    'sign-in.audience',
  ]),
  rfc('token', [6749, '5.1'], 'The response has access_token and token_type, and Cache-Control: no-store.', [
    'auth/bad-answer',
  ]),
  rfc('access', [6750, '2.1'], 'The request has the token in the header Authorization.'),
  mcp('access', 'Token Handling', 'The server accepts only tokens that were issued for it.', [
    'sign-in.refused',
    'sign-in.audience',
  ]),
  rfc('refresh', [6749, '6'], 'The client gets a new access token with its refresh token, without the user.', [
    'sign-in.no-refresh',
  ]),
  rfc(
    'refresh',
    [9700, '2.2.2'],
    'The refresh token of a public client is replaced with each use, or bound to its key.',
  ),
  rfc('step-up', [6750, '3.1'], 'The server answers 403 with error="insufficient_scope" and the needed scope.'),
  mcp('step-up', 'Scope Challenge Handling', 'The client asks for the needed scopes, and for those that it has.'),
];

/**
 * Lists the sentences of the standards that apply to a sign-in, and tells which of them are met.
 *
 * @param reached Parts with a response that is no error.
 */
export function listRequirements(
  version: string,
  reached: ReadonlySet<SignInPhase>,
  findings: readonly (FindingView & { readonly phase: SignInPhase })[],
): SignInRequirement[] {
  const serious = new Set(
    findings.filter(({ severity }) => severity === 'problem' || severity === 'warning').map(({ id }) => id),
  );
  // The library stops at the first problem of a part, so that nothing is known about its other sentences.
  const stopped = new Set(findings.filter(({ severity }) => severity === 'problem').map(each => each.phase));
  const isChecked = (phase: SignInPhase) => reached.has(phase) && !stopped.has(phase);
  const fine = new Set(findings.filter(({ severity }) => severity === 'ok').map(({ id }) => id));
  return REQUIREMENTS.map(({ phase, document, section, page, text, shownBy }) => ({
    phase,
    document,
    section,
    url: page.startsWith('https:') ? page : getSpecificationPage(page, version),
    text,
    state: shownBy.some(id => serious.has(id))
      ? 'broken'
      : shownBy.some(id => fine.has(id) || (id.startsWith('auth/') && isChecked(phase)))
        ? 'met'
        : 'open',
  }));
}
