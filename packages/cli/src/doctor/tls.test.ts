import type { PeerCertificate } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { examineCertificate, isPrivateHost } from './checks/tls.js';
import { createFindingFactory } from './finding.js';

const NOW = Date.parse('2030-01-01T00:00:00Z');

function judge(host: string, days: number, error?: string, protocol = 'TLSv1.3'): string[] {
  const certificate: Pick<PeerCertificate, 'valid_to' | 'subjectaltname' | 'subject'> = {
    valid_to: new Date(NOW + days * 86_400_000).toUTCString(),
    subjectaltname: 'DNS:mcp.example.com',
    subject: { C: '', ST: '', L: '', O: '', OU: '', CN: 'mcp.example.com' },
  };
  const state = { certificate: certificate as PeerCertificate, error, protocol };
  return examineCertificate(state, host, NOW, createFindingFactory('tls')).map(
    ({ id, severity }) => `${severity} ${id}`,
  );
}

describe('the examination of TLS', () => {
  it.each<[string, string[], string[]]>([
    ['a valid certificate', judge('mcp.example.com', 90), ['ok tls.certificate']],
    ['a certificate that expires soon', judge('mcp.example.com', 5), ['warning tls.expiry']],
    ['an expired certificate', judge('mcp.example.com', -2, 'CERT_HAS_EXPIRED'), ['problem tls.expiry']],
    [
      'a certificate of another host',
      judge('other.example.com', 90, 'ERR_TLS_CERT_ALTNAME_INVALID'),
      ['problem tls.host'],
    ],
    ['an incomplete chain', judge('mcp.example.com', 90, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'), ['problem tls.chain']],
    ['an early version', judge('mcp.example.com', 90, undefined, 'TLSv1.1'), ['warning tls.version']],
  ])('classifies %s [cli.doctor]', (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  it('recognizes private hosts', () => {
    const hosts = [
      ...['localhost', '127.0.0.1', '[::1]', '10.1.2.3', '192.168.0.9', 'nas', 'nas.local', '[fd00::1]'],
      ...['100.64.0.1', '168.63.129.16', '198.18.0.1', '[::ffff:a00:1]', '[64:ff9b::a00:1]', 'app.localhost.'],
      ...['metadata.goog', 'nas.corp', '[fec0::1]'],
    ];
    expect(hosts.filter(host => !isPrivateHost(host))).toEqual([]);
    expect(['example.com', '8.8.8.8', '[2001:db8::1]', '172.32.0.1', '[::ffff:808:808]'].filter(isPrivateHost)).toEqual(
      [],
    );
  });
});
