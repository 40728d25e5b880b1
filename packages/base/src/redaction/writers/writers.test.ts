// biome-ignore-all lint/suspicious/noTemplateCurlyInString: hostile texts contain them
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { getProgram, hasPrograms } from '../../../../../scripts/optional-programs.mjs';
import { escapeYaml, hasYamlEscapes, writeJson, writeTomlString } from './data-formats.js';
import { escapeHtml, escapeMarkdown, escapeXml, writeScriptLiteral } from './markup.js';
import { escapeForBash, isSafeForCmd, quoteForPowerShell, writeCommandLine, writeShellWord } from './shells.js';
import {
  writeBlockComment,
  writeCommentLines,
  writeIdentifier,
  writeLineComment,
  writeLiteral,
  writeMemberName,
  writePatternText,
  writeStringLiteral,
  writeTemplateText,
} from './source-code.js';
import { escapeForLog, escapeForTerminal } from './terminal.js';

/** Characters that must not reach a file or a terminal as they are. Line feeds and tabs are layout. */
const RAW =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\p{Cs}\u{e0000}-\u{e007f}]/u;
const hidden = [
  ...[
    '\0',
    '\u0007',
    '\u0008',
    '\v',
    '\f',
    '\r',
    '\u001b[2J',
    '\u001b]52;c;AAAA\u0007',
    '\u007f',
    '\u0085',
    '\u009b2J',
  ],
  ...['\u00ad', '\u061c', '\u200b', '\u200d', '\u200e', '\u2028', '\u2029', '\u202e', '\u2060', '\u2066', '\ufeff'],
  ...['\ud800', '\u{e0041}', '\u{e007f}'],
];
const hostile = [
  ...hidden.map(each => `a${each}b`),
  ...[
    '*/ pwned() /*',
    '*\u200b/ pwned()',
    "'+pwned()+'",
    '"+pwned()+"',
    '`+pwned()+`',
    '${pwned()}',
    '\\',
    "\\'",
    '\\`',
  ],
  ...[
    'a\nb',
    'a\r\npwned()',
    '@ts-ignore',
    '<!--',
    '</script>',
    '$(pwned)',
    '`pwned`',
    '; pwned',
    '--pwned',
    '=pwned',
    '~',
  ],
  ...['__proto__', 'constructor', "it's", '\\u{1F}', '$', '${', '', ' ', 'é 漢 🎉'],
];

describe('the writers of source code', () => {
  it.each(hostile)('keep the value of %j in each literal', text => {
    for (const source of [writeStringLiteral(text), writeLiteral(text), `\`${writeTemplateText(text)}\``]) {
      expect(new Function(`return ${source}`)()).toBe(text);
      expect(source).not.toMatch(RAW);
      expect(source).not.toMatch(/[\r\n]/);
    }
    const object = new Function(`return ${writeLiteral({ [text]: [text] }, 2)}`)();
    expect(Object.entries(object)).toEqual([[text, [text]]]);
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  });

  it.each([...hostile, '</script>', '<!--<script>', 'a/b.*[c]\n\t'])('keep %j a literal of a script', text => {
    const source = writeScriptLiteral([text]);
    expect(new Function(`return ${source}`)()).toEqual([text]);
    expect(source).not.toMatch(/</);
    expect(source).not.toMatch(RAW);
  });

  it.each([...hostile, 'a/b.*[c]\n\t'])('make %j a regular expression that matches it only', text => {
    const pattern = writePatternText(text);
    const expressions = [new RegExp(`^${pattern}$`), new Function(`return /^${pattern}$/`)()];
    for (const expression of expressions) {
      expect(expression.test(text)).toBe(true);
      expect(expression.test(`${text}x`)).toBe(false);
    }
    expect(pattern).not.toMatch(RAW);
    expect(pattern).not.toMatch(/[\r\n]/);
  });

  it.each(hostile)('do not let %j end a comment', text => {
    const comment = writeBlockComment(writeCommentLines(text), '  ');
    expect(comment).not.toMatch(RAW);
    expect(comment.trim().slice(0, -2)).not.toContain('*/');
    expect(comment).not.toMatch(/^[\s/*]*@/m);
    expect(new Function(`${comment}\nreturn 1`)()).toBe(1);
    expect(new Function(`// ${writeLineComment(text)}\nreturn 1`)()).toBe(1);
    expect(writeLineComment(text)).not.toMatch(RAW);
  });

  it('write names of members and types', () => {
    expect(['a', '$a_1', 'a-b', '1', 'a\u202e'].map(writeMemberName)).toEqual([
      'a',
      '$a_1',
      '"a-b"',
      '"1"',
      '"a\\u202e"',
    ]);
    expect(['get-note', '1st', '*/', 'a'.repeat(500)].map(writeIdentifier)).toEqual([
      'GetNote',
      'Type1st',
      'Type',
      `A${'a'.repeat(99)}`,
    ]);
  });
});

describe('the writers of data formats', () => {
  it.each(hostile)('keep the value of %j in JSON', text => {
    for (const indent of [undefined, 2, '\t']) {
      const json = writeJson({ [text]: text }, indent);
      expect(json).not.toMatch(RAW);
      expect(Object.entries(JSON.parse(json))).toEqual([[text, text]]);
    }
  });

  it('write escapes of code points in TOML and YAML, which have no surrogate pairs', () => {
    expect(writeTomlString('a\u{e0041}\u007f\u202e"\\\ud800')).toBe('"a\\U000e0041\\u007f\\u202e\\"\\\\\ufffd"');
    expect(escapeYaml('- "a\u{e0041}\u0085"\n')).toBe('- "a\\U000e0041\\u0085"\n');
    expect([hasYamlEscapes('é 🎉\n'), hasYamlEscapes('a\u200b')]).toEqual([false, true]);
  });
});

describe('the writers for shells', () => {
  it.skipIf(!hasPrograms('bash'))('pass each text as one argument in bash', () => {
    const texts = hostile.filter(each => !/[\0\p{Cs}]/u.test(each));
    expect(writeCommandLine(hostile)).not.toMatch(RAW);
    // Bash reads its settings if standard input is a socket.
    const args = ['--norc', '-c', `printf '%s\\0' ${writeCommandLine(texts)}`];
    const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' };
    const printed = execFileSync(getProgram('bash'), args, {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(printed.split('\0').slice(0, -1)).toEqual(texts);
  });

  it.each((['bash', 'zsh', 'fish'] as const).filter(shell => hasPrograms(shell)))(
    'keep words with variables whole in %s',
    shell => {
      const texts = hostile.filter(each => !/[\0\p{Cs}]/u.test(each));
      const words = texts.map(each => writeShellWord([each, { variable: 'VALUE' }, each], shell));
      expect(words.join(' ')).not.toMatch(RAW);
      const args = [
        ...(shell === 'bash' ? ['--norc'] : shell === 'zsh' ? ['-f'] : ['-N']),
        '-c',
        `printf '%s\\0' ${words.join(' ')}`,
      ];
      const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', VALUE: "a '$x' b" };
      const printed = execFileSync(getProgram(shell), args, {
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      expect(printed.split('\0').slice(0, -1)).toEqual(texts.map(each => `${each}a '$x' b${each}`));
    },
  );

  it('write words with variables for PowerShell', () => {
    expect(writeShellWord(['a b'], 'powershell')).toBe("'a b'");
    expect(writeShellWord([{ variable: 'X' }], 'powershell')).toBe('$env:X');
    expect(writeShellWord(['x=', { variable: 'X' }, "'"], 'powershell')).toBe("('x=' + $env:X + '''')");
    expect(writeShellWord([], 'powershell')).toBe("''");
  });

  it('separate arguments', () => {
    expect(writeCommandLine(['npx', '-y', 'a b', "it's", ''])).toBe("npx -y 'a b' 'it'\\''s' ''");
  });

  it('quote all quotation marks of PowerShell', () => {
    expect(quoteForPowerShell("a'\u2019; calc")).toBe("'a''\u2019\u2019; calc'");
    expect(quoteForPowerShell('a\u202e')).not.toMatch(RAW);
    expect(quoteForPowerShell('a=1')).toBe('a=1');
  });

  it('escape for the completion of Bash', () => {
    expect(escapeForBash('a$(b) c')).toBe('a\\$\\(b\\)\\ c');
  });

  it('accept for cmd only text without special characters', () => {
    expect(['a b', 'notes@1.0.0', 'a&b', '%A%', 'a\u202e'].map(isSafeForCmd)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('the writers of markup', () => {
  it.each(hostile)('let %j neither become an element nor leave an attribute', text => {
    for (const escaped of [escapeHtml(text), escapeXml(text)]) {
      expect(escaped).not.toMatch(RAW);
      expect(escaped).not.toMatch(/[<>"]|&(?!(?:amp|lt|gt|quot|#39);)/);
    }
    expect(escapeMarkdown(text)).not.toMatch(/\n|(?<!\\)[<>`|[\]]/);
    expect(escapeMarkdown(text)).not.toMatch(RAW);
  });

  it('keep ordinary names readable in Markdown', () => {
    expect(['my-server', '# a', '- a', '1. a', 'a_b'].map(escapeMarkdown)).toEqual([
      'my-server',
      '\\# a',
      '\\- a',
      '1\\. a',
      'a\\_b',
    ]);
  });
});

describe('the writers for terminals and logs', () => {
  // A soft hyphen between letters is part of normal writing.
  it.each(hostile.filter(each => !each.includes('\u00ad')))('write no raw character of %j', text => {
    expect(escapeForTerminal(text)).not.toMatch(RAW);
    expect(escapeForLog(text)).not.toMatch(RAW);
    expect(escapeForLog(text)).not.toMatch(/[\n\t]/);
    expect(escapeForTerminal(escapeForTerminal(text))).toBe(escapeForTerminal(text));
  });

  it('remove terminal sequences, and show other characters as escapes', () => {
    expect(escapeForTerminal('a\u001b[2J\u009b1mb\u202ec\r\n\td\re')).toBe('ab\\u{202E}c\n\td\\u{D}e');
    expect(escapeForTerminal('a\u001b')).toBe('a\\u{1B}');
  });

  it('keep the characters that emoji and scripts need', () => {
    const texts = [
      '👩\u200d👩\u200d👧',
      '❤\ufe0f',
      'می\u200cخواهم',
      'שלום\u200f!',
      '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
    ];
    expect(texts.map(escapeForTerminal)).toEqual(texts);
  });
});
