import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../docs/pages.js';

const page = readFileSync(join(root, 'docs/reference/peers.md'), 'utf8');

/** The numbers of features that the page gives for a peer under a heading: directly, and through the gateway. */
export function findCounts(heading: 'Servers' | 'Clients', peer: string): readonly string[] {
  const section = page.slice(page.indexOf(`## ${heading}`)).split('\n## ')[0] ?? '';
  const row = section.split('\n').find(line => line.startsWith(`| ${peer} |`));
  return (
    row
      ?.split('|')
      .slice(2, 4)
      .map(cell => cell.trim()) ?? []
  );
}
