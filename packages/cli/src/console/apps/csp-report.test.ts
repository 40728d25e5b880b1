import { describe, expect, it } from 'vitest';
import { readCspReport } from './csp-report.js';

const report = (directive: string, blocked: string) =>
  readCspReport({ 'csp-report': { 'effective-directive': directive, 'blocked-uri': blocked } });

describe('readCspReport', () => {
  it.each([
    ['connect-src', 'connectDomains'],
    ['script-src-elem', 'resourceDomains'],
    ['style-src', 'resourceDomains'],
    ['img-src', 'resourceDomains'],
    ['font-src', 'resourceDomains'],
    ['media-src', 'resourceDomains'],
    ['frame-src', 'frameDomains'],
    ['base-uri', 'baseUriDomains'],
    ['form-action', null],
    ['worker-src', null],
  ])('names the member that allows a URL for %s', (directive, member) => {
    expect(report(directive, 'https://api.example/v1')).toEqual({
      directive,
      blocked: 'https://api.example/v1',
      member,
      origin: member && 'https://api.example',
    });
  });

  it('keeps neither the query, the fragment, the user nor a secret of a URL', () => {
    const { blocked, origin } = report('connect-src', 'wss://ann:pw@api.example:8443/a?token=1#b') ?? {};
    expect([blocked, origin]).toEqual(['wss://api.example:8443/a', 'wss://api.example:8443']);
    expect(report('img-src', 'https://a.example/ghp_0123456789abcdefghijABCDEFGHIJ012345')?.blocked).not.toContain(
      'ghp_0',
    );
    expect(report('img-src', `https://a.example/${'x'.repeat(1000)}`)?.blocked).toHaveLength(500);
  });

  it('names no member for inline code and for schemes that no member allows', () => {
    expect(report('script-src-attr', 'inline')).toMatchObject({ blocked: 'inline', member: null, origin: null });
    expect(report('script-src', 'eval')).toMatchObject({ blocked: 'eval', member: null });
    expect(report('worker-src', 'blob')).toMatchObject({ blocked: 'blob', member: null });
    expect(report('frame-src', 'data:text/html,<p>secret')).toMatchObject({ blocked: 'data:', member: null });
  });

  it('reads the directive of older browsers, and nothing else than reports', () => {
    const older = { 'violated-directive': "img-src 'self'", 'blocked-uri': 'https://a.example/' };
    expect(readCspReport({ 'csp-report': older })?.directive).toBe('img-src');
    for (const body of [null, [], 1, {}, { 'csp-report': 1 }, { 'csp-report': { 'effective-directive': 'img-src' } }])
      expect(readCspReport(body)).toBeUndefined();
    expect(report('', 'https://a.example/')).toBeUndefined();
  });
});
