import { isIP } from 'node:net';
import { checkServerIdentity, connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { classifyHost } from '@tenon/base';
import { findProxyRoute, type ProxyRoute } from 'tenon/node';
import type { Check } from '../check.js';
import { type Finding, type FindingFactory, getSpecificationPage } from '../finding.js';

const DAY = 86_400_000;
/** Remaining lifetime of a certificate below which the doctor warns, in days. */
const MIN_DAYS = 14;
const TIMEOUT = 10_000;

/** Examines the encryption of the connection. */
export const tlsCheck: Check = {
  id: 'tls',
  title: 'TLS',
  requires: 'http',
  async run({ url, error }, findings) {
    if (!url) return [];
    if (url.protocol === 'https:') return checkCertificate(url, findings);
    // A host that cannot be reached may not exist.
    return error?.code === 'http/unreachable' ? [] : [checkPlain(url, findings)];
  },
};

function checkPlain({ hostname }: URL, { ok, problem }: FindingFactory): Finding {
  if (isPrivateHost(hostname)) return ok('plain', 'plain http: on a private address');
  return problem('plain', 'plain http: on a public host', {
    seen: hostname,
    cause: 'everyone on the network path can read and change messages and tokens',
    fix: 'serve only https:. Do not redirect from http:, because the first request is already readable',
    spec: getSpecificationPage('basic/authorization'),
  });
}

/** Tells if a host is this machine, in a private network, or a name without a dot. */
export function isPrivateHost(hostname: string): boolean {
  const addressClass = classifyHost(hostname);
  return addressClass !== 'public' && addressClass !== 'reserved';
}

/** Certificate of a server, and the reason why it is not trusted. */
export interface CertificateState {
  readonly certificate: PeerCertificate;
  readonly error: string | undefined;
  readonly protocol: string | undefined;
}

async function checkCertificate(url: URL, findings: FindingFactory): Promise<Finding[]> {
  try {
    return examineCertificate(await readCertificate(url), url.hostname, Date.now(), findings);
  } catch (error) {
    const seen = error instanceof Error ? error.message : String(error);
    const isPlain = /wrong version number|packet length too long/.test(seen);
    const details = isPlain
      ? { seen: 'the response is not TLS', fix: 'use a URL that begins with `http://`, or serve TLS on this port' }
      : { seen, fix: 'check the port and the certificate' };
    return [findings.problem('handshake', 'the TLS handshake fails', details)];
  }
}

async function readCertificate(url: URL): Promise<CertificateState> {
  const route = await findProxyRoute(url);
  return route ? readCertificateThroughProxy(url, route) : readCertificateDirectly(url);
}

const describeSocket = (socket: TLSSocket): CertificateState => {
  const error = socket.authorizationError as unknown;
  return {
    certificate: socket.getPeerCertificate(),
    error: socket.authorized ? undefined : String((error as { code?: string })?.code ?? error),
    protocol: socket.getProtocol() ?? undefined,
  };
};

/** Reads the certificate of the server behind a tunnel. The agent of the tunnel connects for requests only. */
function readCertificateThroughProxy(url: URL, { send, options, headers }: ProxyRoute): Promise<CertificateState> {
  const unverified = {
    method: 'HEAD',
    ...options,
    headers: { ...headers },
    rejectUnauthorized: false,
    timeout: TIMEOUT,
    // The default, but agents then resume no session of other requests, whose certificate would be unknown.
    ecdhCurve: 'auto',
  };
  return new Promise((resolve, reject) => {
    const request = send(url, unverified);
    request.once('response', ({ socket }) => {
      resolve(describeSocket(socket as TLSSocket));
      request.destroy();
    });
    request.once('timeout', () => request.destroy(new Error('no response in time')));
    request.on('error', reject);
    request.end();
  });
}

function readCertificateDirectly({ hostname, port }: URL): Promise<CertificateState> {
  return new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const socket: TLSSocket = connect(
      { host, port: Number(port || 443), rejectUnauthorized: false, ...servername },
      () => {
        resolve(describeSocket(socket));
        socket.end();
      },
    );
    socket.setTimeout(TIMEOUT, () => socket.destroy(new Error('no TLS handshake in time')));
    socket.on('error', reject);
  });
}

/** Examines a certificate at the given time. */
export function examineCertificate(
  { certificate, error, protocol }: CertificateState,
  hostname: string,
  now: number,
  { ok, warning, problem }: FindingFactory,
): Finding[] {
  const days = Math.floor((Date.parse(certificate.valid_to) - now) / DAY);
  const expires = `valid until ${certificate.valid_to}`;
  const wrongHost = checkServerIdentity(hostname.replace(/^\[|\]$/g, ''), certificate);
  const findings: Finding[] = [];
  if (days < 0)
    findings.push(problem('expiry', 'the certificate has expired', { seen: expires, fix: 'renew the certificate' }));
  else if (days < MIN_DAYS)
    findings.push(
      warning('expiry', `the certificate expires in ${days} days`, { seen: expires, fix: 'renew it, and automate it' }),
    );
  if (wrongHost)
    findings.push(
      problem('host', 'the certificate is for another host', {
        seen: certificate.subjectaltname ?? String(certificate.subject?.CN ?? 'no name'),
        fix: `get a certificate for ${hostname}`,
      }),
    );
  if (error !== undefined && days >= 0 && !/ALTNAME/.test(error))
    findings.push(
      problem('chain', 'the certificate is not trusted', {
        seen: error,
        cause: /ISSUER|LEAF|FIRST/.test(error)
          ? 'the server often does not send the intermediate certificates'
          : 'the certificate is self-signed, or its authority is private',
        fix: 'serve the full chain of a public authority, or set NODE_EXTRA_CA_CERTS at each client',
      }),
    );
  if (protocol !== undefined && /^(SSL|TLSv1$|TLSv1\.1)/.test(protocol))
    findings.push(warning('version', `the server negotiates ${protocol}`, { fix: 'enable TLS 1.2 and 1.3' }));
  return findings.length > 0 ? findings : [ok('certificate', 'the certificate is valid', { seen: expires })];
}
