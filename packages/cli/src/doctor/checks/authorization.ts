import { TenonError } from 'tenon';
import { type AuthExceptions, type AuthorizationDiscovery, discoverAuthorization } from 'tenon/auth';
import { getHint } from '../../error-hints.js';
import type { Check, DoctorContext } from '../check.js';
import type { Finding, FindingFactory } from '../finding.js';
import { getSpecificationPage } from '../finding.js';
import type { ProbeResponse } from '../http-probe.js';
import { createOpeningRequest, describeResponse, hasResult } from '../raw-requests.js';
import { isPrivateHost } from './tls.js';

const PAGE = getSpecificationPage('basic/authorization');

/** Examines the chain from a refused request to a token: challenge, resource metadata, issuer metadata. */
export const authorizationCheck: Check = {
  id: 'authorization',
  title: 'Authorization',
  requires: 'http',
  async run(context, findings) {
    const { anonymous, url, transport } = context;
    if (!anonymous || !url || transport === 'http-sse') return [];
    const refused = await anonymous(createOpeningRequest(context));
    if (hasResult(refused)) return [reportOpen(url, findings)];
    if (refused.status === 403) {
      return [
        findings.warning('forbidden', 'requests without a token are answered with 403', {
          seen: describeResponse(refused),
          cause: 'clients start a sign-in only after 401',
          fix: 'answer requests without a valid token with 401 and WWW-Authenticate',
          spec: PAGE,
        }),
      ];
    }
    if (refused.status !== 401) return [];
    return [
      ...checkChallenge(refused, findings),
      ...(await checkChain(url, refused, context.authExceptions, findings)),
      ...(await checkInvalidToken(context, findings)),
    ];
  },
};

function reportOpen(url: URL, { ok, info }: FindingFactory): Finding {
  if (isPrivateHost(url.hostname)) return ok('none', 'no authorization, on a private address');
  return info('none', 'everyone can call this server', {
    cause: 'it answers requests without a token',
    fix: 'require a token, unless the server is meant to be public',
    spec: PAGE,
  });
}

/** Examines the challenge of a refused request. */
export function checkChallenge(
  refused: Pick<ProbeResponse, 'header'>,
  { ok, info, warning }: FindingFactory,
): Finding[] {
  const header = refused.header('www-authenticate');
  if (header === undefined) {
    return [
      warning('challenge', '401 has no WWW-Authenticate', {
        cause: 'clients of earlier versions then do not find the authorization server',
        fix: 'send WWW-Authenticate: Bearer resource_metadata="…"',
        spec: PAGE,
      }),
    ];
  }
  if (!/^(bearer|dpop)\b/i.test(header.trim())) {
    return [
      info('challenge', 'the server does not ask for a bearer token', {
        seen: header.slice(0, 120),
        fix: 'pass the credentials of this scheme with --header',
      }),
    ];
  }
  if (!/resource_metadata=/i.test(header))
    return [info('challenge', 'WWW-Authenticate has no resource_metadata', { seen: header.slice(0, 120), spec: PAGE })];
  return [ok('challenge', '401 names the resource metadata')];
}

async function checkChain(
  url: URL,
  refused: ProbeResponse,
  exceptions: AuthExceptions,
  findings: FindingFactory,
): Promise<Finding[]> {
  const { ok, problem, info } = findings;
  try {
    const wwwAuthenticate = refused.header('www-authenticate');
    const discovery = await discoverAuthorization(url.href, { wwwAuthenticate, exceptions });
    const { resource, issuer } = discovery;
    return [
      resource
        ? ok('resource', 'the resource metadata describes this URL', { seen: resource.resource })
        : info('resource', 'no resource metadata', {
            cause: `clients use ${issuer} as the authorization server, as in the oldest versions`,
            fix: 'serve /.well-known/oauth-protected-resource',
            spec: PAGE,
          }),
      ...reportExceptions(exceptions, findings),
      ...checkIssuer(discovery, exceptions, findings),
    ];
  } catch (thrown) {
    const error = TenonError.from(thrown);
    const { code, summary, peer, expected, received } = error;
    return [
      problem('discovery', 'clients cannot find the authorization server', {
        seen: new TenonError(code, summary, { peer, expected, received }).message,
        cause: `a client stops with ${code}`,
        fix: getHint(error) ?? 'correct the metadata documents',
        spec: PAGE,
      }),
    ];
  }
}

/** Names the exceptions, because other clients do not have them. */
function reportExceptions(exceptions: AuthExceptions, { info }: FindingFactory): Finding[] {
  const names = Object.keys(exceptions);
  if (names.length === 0) return [];
  return [
    info('exceptions', `examined with exceptions from the specification: ${names.join(', ')}`, {
      cause: 'clients without these exceptions may refuse this authorization server',
      spec: PAGE,
    }),
  ];
}

/** Examines the metadata of an authorization server. */
export function checkIssuer(
  { issuer, metadata, resource }: AuthorizationDiscovery,
  { assumePkce }: AuthExceptions,
  { ok, problem, warning }: FindingFactory,
): Finding[] {
  const missing = ['authorization_endpoint', 'token_endpoint'].filter(name => typeof metadata[name] !== 'string');
  const methods = [metadata.code_challenge_methods_supported].flat();
  const ways = [
    metadata.client_id_metadata_document_supported === true ? 'client metadata documents' : '',
    typeof metadata.registration_endpoint === 'string' ? 'dynamic registration' : '',
  ].filter(Boolean);
  return [
    missing.length === 0
      ? ok('issuer', 'the authorization server has metadata', { seen: issuer })
      : problem('issuer', `the metadata of the authorization server lacks ${missing.join(' and ')}`, {
          seen: issuer,
          fix: 'add the endpoints to the metadata',
          spec: PAGE,
        }),
    methods.includes('S256') || assumePkce === true
      ? ok('pkce', assumePkce === true ? 'PKCE with S256 is assumed' : 'PKCE with S256 is announced')
      : problem('pkce', 'the authorization server does not announce PKCE with S256', {
          seen: `code_challenge_methods_supported: ${JSON.stringify(metadata.code_challenge_methods_supported) ?? 'missing'}`,
          cause: 'clients must refuse such an authorization server',
          fix: 'add "S256" to code_challenge_methods_supported',
          spec: PAGE,
        }),
    ways.length > 0 || !resource
      ? ok('registration', `clients register by ${ways.join(' or ') || 'the default endpoint'}`)
      : warning('registration', 'clients cannot register by themselves', {
          seen: 'neither client_id_metadata_document_supported nor registration_endpoint',
          cause: 'each user must register a client manually, and many hosts have no setting for its ID',
          fix: 'support client ID metadata documents, or publish a client ID',
          spec: getSpecificationPage('basic/authorization/client-registration'),
        }),
  ];
}

/** Sends a token that no authorization server has issued. */
async function checkInvalidToken(context: DoctorContext, { ok, problem, warning }: FindingFactory): Promise<Finding[]> {
  const request = createOpeningRequest(context);
  const headers = { ...request.headers, authorization: 'Bearer tenon-doctor-invalid-token' };
  const response = await context.anonymous?.({ ...request, headers });
  if (!response) return [];
  if (hasResult(response)) {
    return [
      problem('token', 'the server accepts an invalid token', {
        seen: describeResponse(response),
        cause: 'it does not verify tokens, so everyone can call it',
        fix: 'verify signature, issuer, audience and expiry of each token',
        spec: PAGE,
      }),
    ];
  }
  if (response.status === 401) return [ok('token', 'an invalid token is refused with 401')];
  return [
    warning('token', 'an invalid token is not refused with 401', {
      seen: describeResponse(response),
      cause: 'clients renew a token only after 401',
      fix: 'answer invalid and expired tokens with 401',
      spec: PAGE,
    }),
  ];
}
