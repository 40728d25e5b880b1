import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findFindings } from '../../packages/host/src/security/screening/find-findings.js';
import { type FindingKind, HIDDEN_KINDS } from '../../packages/host/src/security/screening/finding.js';
import { sanitizeName, sanitizeText } from '../../packages/host/src/security/screening/sanitize-text.js';
import { screenTool } from '../../packages/host/src/security/screening/screen-definitions.js';
import { screenResult } from '../../packages/host/src/security/screening/screen-results.js';

/** Texts of attacks and honest texts. The files have escapes for everything that is not ASCII, so that nothing hides there. */

interface Attack {
  readonly name: string;
  readonly kind: FindingKind;
  /** Of the finding. Default: `strip` for hidden characters, else `warn`. */
  readonly severity?: string;
  readonly text: string;
  /** What a person sees, where it is worth to be told. */
  readonly shown?: string;
}

interface Harmless {
  readonly name: string;
  readonly text: string;
  readonly shown?: string;
}

const read = <Case>(file: string): Case[] => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Case[];
const attacks = read<Attack>('attacks.json');
const harmless = read<Harmless>('harmless.json');

const unseen = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\p{Co}\p{Cs}]/u;
const leading =
  /\]\(\s*<?\s*(?:[a-z][a-z0-9+.-]+:|[\\/]{2})|\]:\s*<?(?:https?:|\/\/)|<(?:[!?]|script|style|iframe|svg|[a-z][^<>]*=|https?:)/i;

describe('hidden instructions and exfiltration [security.tool-descriptions-untrusted]', () => {
  it('contains at least 60 attacks and 40 harmless texts', () => {
    expect(attacks.length).toBeGreaterThanOrEqual(60);
    expect(harmless.length).toBeGreaterThanOrEqual(40);
    expect(new Set([...attacks, ...harmless].map(({ name }) => name)).size).toBe(attacks.length + harmless.length);
  });

  it.each(attacks)('finds $name', ({ kind, text, severity }) => {
    const isHidden = (HIDDEN_KINDS as readonly string[]).includes(kind);
    const expected = { kind, severity: severity ?? (isHidden ? 'strip' : 'warn'), where: 'description' };
    expect(findFindings(text, 'description')).toContainEqual(expect.objectContaining(expected));
  });

  it.each(attacks)('shows $name safely', ({ text, shown }) => {
    const safe = sanitizeText(text, { lines: true });
    if (shown !== undefined) expect(safe).toBe(shown);
    for (const each of [
      safe,
      sanitizeText(text),
      sanitizeName(text),
      ...findFindings(text, text).map(found => found.excerpt),
    ]) {
      expect(each).not.toMatch(unseen);
      expect(each).not.toMatch(leading);
      expect(findFindings(each, '').filter(({ severity }) => severity === 'strip')).toEqual([]);
    }
  });

  it.each(attacks)('passes a definition with $name on without hidden text', ({ text }) => {
    const tool = { name: 'add', description: text, inputSchema: { type: 'object', title: text } } as const;
    const { value, findings: found } = screenTool(tool);
    expect(found.length).toBeGreaterThan(1);
    for (const passed of [value.description!, value.inputSchema.title as string]) {
      expect(findFindings(passed, '').filter(({ severity }) => severity === 'strip')).toEqual([]);
    }
  });

  it.each(harmless)('reports nothing for $name', ({ text }) => {
    expect(findFindings(text, 'description')).toEqual([]);
  });

  it.each(harmless)('passes $name on unchanged', ({ text }) => {
    const tool = { name: 'add', description: text, inputSchema: { type: 'object', title: text } } as const;
    expect(screenTool(tool)).toEqual({ value: tool, findings: [] });
    expect(screenTool(tool).value).toBe(tool);
    const result = { content: [{ type: 'text' as const, text }], structuredContent: { text } };
    expect(screenResult(result).value).toBe(result);
  });

  it.each(harmless)('shows $name completely', ({ text, shown }) => {
    expect(sanitizeText(text, { lines: true })).toBe(shown ?? text);
  });
});
