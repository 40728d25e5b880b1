import type { FindingKind, OnFindingCandidate } from '../finding.js';
import {
  countScanSteps,
  FOLD_STEPS,
  FOLDED_WORD_STEPS,
  SCAN_STEPS,
  type StepCounter,
  WORD_STEPS,
} from '../scan-steps.js';
import { foldLookalikes } from './lookalikes.js';
import { isSensitive, PHRASE_PATTERNS, type PhrasePattern } from './phrase-patterns.js';

/**
 * Detection of phrases that address the model instead of describing something. It is best effort: it misses reworded
 * phrases, and a harmless text may contain one. Therefore the findings are warnings.
 */

interface PhraseWord {
  readonly text: string;
  readonly at: number;
  readonly end: number;
}

/** Number of words to buffer. The longest pattern with its gaps is shorter. */
const MAX_PHRASE_WORDS = 28;
const MAX_WORD = 64;
const apostrophe = /['’]/;
const PLAIN_WORD = /^[ -~]*$/;

/** Words of plain ASCII text, for a faster search. */
const PLAIN_WORDS = /[\w'@~./\\-]+|[!?]|\n\s*\n/g;
const WORDS = /[\p{L}\p{N}\p{M}\p{DI}_'’@~./\\-]+|[!?]|\n\s*\n/gu;

export function findPhrases(text: string, sink: OnFindingCandidate, meter: StepCounter): void {
  countScanSteps(meter, text.length * SCAN_STEPS);
  const held: PhraseWord[] = [];
  const isAscii = /^[\0-~]*$/.test(text);
  const search = isAscii ? PLAIN_WORDS : WORDS;
  // A search that reached its limit has left its position in the expression.
  search.lastIndex = 0;
  for (let match = search.exec(text); match !== null; match = search.exec(text)) {
    countScanSteps(meter, WORD_STEPS);
    addWord(held, match[0], match.index, meter);
    while (held.length > MAX_PHRASE_WORDS) matchFirst(held, sink, meter);
  }
  while (held.length > 0) matchFirst(held, sink, meter);
  const pieces = [...(/[<[:]/.test(text) ? CHAT_MARKUP : []), ...(isAscii ? [] : UNSPACED_PHRASES)];
  for (const [kind, expression] of pieces) {
    for (const match of text.matchAll(expression)) {
      sink({ kind, severity: 'warn', at: match.index, length: match[0].length });
    }
  }
}

/** Adds a word, and a full stop if the sentence ends with it. */
function addWord(held: PhraseWord[], raw: string, at: number, meter: StepCounter): void {
  if (raw === '!' || raw === '?' || raw[0] === '\n') {
    held.push({ text: '.', at, end: at + 1 });
    return;
  }
  const bare = raw.endsWith('.') ? raw.replace(/\.{1,3}$/, '') : raw;
  const word = bare.length > MAX_WORD ? bare.slice(0, MAX_WORD) : bare;
  const isPlain = PLAIN_WORD.test(word);
  const text = isPlain ? word.toLowerCase() : foldLookalikes(word);
  if (!isPlain) countScanSteps(meter, FOLDED_WORD_STEPS + FOLD_STEPS * (word.length + text.length));
  held.push({ text: apostrophe.test(text) ? text.replace(/['’]/g, '') : text, at, end: at + bare.length });
  if (bare.length < raw.length) held.push({ text: '.', at: at + bare.length, end: at + raw.length });
}

function matchFirst(held: PhraseWord[], sink: OnFindingCandidate, meter: StepCounter): void {
  const first = held[0]!;
  const candidates = PHRASE_PATTERNS.get(first.text);
  if (candidates !== undefined) {
    for (const pattern of candidates) {
      const end = findPatternEnd(pattern, held, meter);
      if (end !== undefined) sink({ kind: pattern.kind, severity: 'warn', at: first.at, length: end - first.at });
    }
  }
  held.shift();
}

/**
 * Returns the end of a pattern that begins with the first word, or `undefined`. A gap does not cross the end of a
 * sentence.
 */
function findPatternEnd(pattern: PhrasePattern, held: readonly PhraseWord[], meter: StepCounter): number | undefined {
  let place = 0;
  for (const step of pattern.steps.slice(1)) {
    const most = Math.min(held.length - 1, place + 1 + step.gap);
    let next = place + 1;
    while (next <= most && held[next]!.text !== '.' && !doesWordFit(step.words, held[next]!.text)) next += 1;
    countScanSteps(meter, next - place);
    if (next > most || held[next]!.text === '.') return undefined;
    place = next;
  }
  return held[place]!.end;
}

function doesWordFit(words: ReadonlySet<string>, word: string): boolean {
  if (words.has(word)) return true;
  if (words.has('{secret}') && isSensitive(word)) return true;
  return words.has('{address}') && (/^https?\b/.test(word) || /^[^@]+@[^@]+\.[^@]+$/.test(word));
}

/** Control tokens of chat formats. */
const CHAT_MARKUP: readonly (readonly [FindingKind, RegExp])[] = [
  [
    'chat-markup',
    /<\|[a-z_]{2,30}\|>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:important|system|system-reminder|instructions?|assistant|tool_results?|function_results?|function_calls?|start_of_turn|end_of_turn)(?:\s[^<>]{0,80})?>/gi,
  ],
  ['chat-markup', /^[^\p{L}\p{N}\n]{0,6}(?:SYSTEM|ASSISTANT|HUMAN)\b[ \]]{0,2}:/gmu],
  ['chat-markup', /^[^\p{L}\p{N}\n]{0,6}system\b[ \]]{0,2}:.{0,40}?\b(?:you|your|ignore|must|always|never)\b/gimu],
  ['chat-markup', /\n\n(?:Human|Assistant): /g],
];

/** Phrases in languages that use no spaces. */
const UNSPACED_PHRASES: readonly (readonly [FindingKind, RegExp])[] = [
  ['instruction', /忽略(?:之前|先前|以上|上述|所有)[^。\n]{0,8}(?:指令|指示|说明|提示|規則|规则|內容|内容)/g],
  ['instruction', /(?:不要|请勿|切勿|別|别)(?:告诉|告知|告訴|通知)(?:用户|用戶|使用者)/g],
  ['instruction', /(?:以前|これまで|上記|前)の[^。\n]{0,6}(?:指示|命令|指令)[^。\n]{0,6}無視/g],
  ['instruction', /(?:이전|위의|앞선)[^.\n]{0,6}(?:지시|명령|지침)[^.\n]{0,6}무시/g],
];
