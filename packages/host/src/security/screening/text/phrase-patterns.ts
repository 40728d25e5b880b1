import type { FindingKind } from '../finding.js';
import { foldLookalikes } from './lookalikes.js';

/** Phrases to find. Steps must occur in order. `~3` allows up to three words before the next step. */

interface PhraseStep {
  /** Maximum number of words before this step. */
  readonly gap: number;
  readonly words: ReadonlySet<string>;
}

export interface PhrasePattern {
  readonly kind: FindingKind;
  readonly steps: readonly PhraseStep[];
}

const NEGATIONS = 'not|never|dont|cannot|avoid|without';
const TELL_VERBS =
  'tell|telling|inform|informing|mention|mentioning|reveal|revealing|disclose|disclosing|alert|alerting|notify|notifying|show|asking|let|say';
const READ_VERBS =
  'read|open|cat|load|fetch|access|get|retrieve|send|include|print|upload|copy|grep|exfiltrate|paste|attach';
const PASS_VERBS = 'pass|include|put|provide|write|add|append|send|forward|copy|insert|paste|fill|share|attach';
const USE_VERBS =
  'using|calling|invoking|running|executing|use|call|invoke|run|calls|uses|invokes|invoked|called|used|execute';
const CONVERSATION_NOUNS =
  'conversation|chat|history|messages|prompt|context|transcript|reasoning|thoughts|credentials|secrets|passwords|memory|dialog';
const INSTRUCTION_NOUNS =
  'instruction|instructions|rules|prompt|prompts|guidelines|directives|directions|context|guardrails|policies|safeguards|commands';
const EARLIER_WORDS = 'previous|prior|preceding|above|earlier|foregoing|your|system|safety|original|existing';

const PHRASES: readonly (readonly [FindingKind, string])[] = [
  ['instruction', `ignore|disregard|forget|override|bypass|neglect ~3 ${EARLIER_WORDS} ~2 ${INSTRUCTION_NOUNS}`],
  ['instruction', 'ignore|disregard|forget|override ~0 all|any|every ~0 instructions|prompts|directives'],
  ['instruction', 'forget|disregard|ignore ~0 everything|all ~3 above|before|previously|told|said|prior'],
  ['instruction', `${NEGATIONS} ~2 ${TELL_VERBS} ~5 the|to ~0 user|human|users|operator|person`],
  [
    'instruction',
    `${NEGATIONS} ~1 mention|reveal|disclose|tell ~1 this|it|these|that ~3 user|anyone|human|users|anybody`,
  ],
  ['instruction', 'hide|conceal|keep ~4 from ~1 user|human|users'],
  ['instruction', 'user|human ~1 must|should|need|needs|does|may ~1 not|never ~2 know|see|notice|learn|aware'],
  ['instruction', `${READ_VERBS} ~8 {secret}`],
  [
    'instruction',
    `before|prior|whenever|when ~2 ${USE_VERBS} ~0 this ~1 tool|function|server ~5 ${READ_VERBS}|look|visit|execute`,
  ],
  ['instruction', 'send|forward|exfiltrate|transmit|upload|email|mail|leak|bcc ~8 to ~2 {address}'],
  [
    'instruction',
    `${PASS_VERBS}|reveal|repeat|print|output|summarize|leak|exfiltrate ~4 full|entire|whole|complete|all|current|system|your ~3 ${CONVERSATION_NOUNS}`,
  ],
  [
    'instruction',
    'reveal|repeat|print|output|leak|show ~2 your|the ~1 system|initial|hidden ~0 prompt|instructions|message',
  ],
  ['instruction', 'you ~0 are ~0 now ~0 a|an|in|no|the|free|unrestricted|operating'],
  ['instruction', 'your|the ~0 real|actual|true|updated|only ~0 task|goal|instructions|objective|role|job|purpose'],
  ['instruction', 'your ~0 new ~0 task|goal|instructions|objective|role|job|purpose|system|persona'],
  [
    'instruction',
    'not|never|dont|without ~1 ask|asking|request|require|seek|wait|waiting ~3 confirmation|permission|approval|consent',
  ],
  [
    'instruction',
    'note|message|attention|important|notice|instructions|instruction ~1 to|for ~2 ai|llm|llms|assistant|assistants|chatbot|claude|gpt|copilot|gemini|model',
  ],
  [
    'instruction',
    'dear|attention|hey ~1 ai|llm|assistant|chatbot|claude|gpt|copilot|model|agent ~1 you|please|must|ignore|do',
  ],
  ['instruction', 'system|admin|developer|safety ~0 override|overrides'],
  ['instruction', 'developer|debug|god|jailbreak|dan ~0 mode ~1 enabled|activated|on|unlocked'],
  ['instruction', 'as|pretend|act ~3 unrestricted|unfiltered|uncensored|jailbroken ~0 ai|assistant|model|llm'],
  ['instruction', 'ignoriere|ignorieren|vergiss|missachte ~4 anweisungen|instruktionen|regeln|vorgaben'],
  [
    'instruction',
    'ignore|ignorez|ignorer|oublie|oubliez ~3 instructions|consignes|directives|règles ~0 précédentes|antérieures|ci-dessus',
  ],
  [
    'instruction',
    'ignora|ignore|ignorar|olvida|olvide|esqueça|dimentica ~4 instrucciones|instruções|istruzioni|reglas|regole|indicaciones',
  ],
  ['instruction', 'игнорируй|игнорируйте|забудь|забудьте ~4 инструкции|указания|правила|команды'],
  ['instruction', 'sage|sagen|erzähle|verrate ~3 nutzer|benutzer|anwender ~1 nichts|nicht|nie'],
  [
    'cross-tool',
    `when|whenever|if|before|after|while|upon ~4 ${USE_VERBS} ~2 other|another|any|every|all ~2 tool|tools|functions`,
  ],
  [
    'cross-tool',
    'modify|change|alter|override|overrides|affects|replaces|supersedes ~2 behavior|behaviour|description|output|results ~3 other|another|tools|tool',
  ],
  ['cross-tool', 'instead ~0 of ~2 any|other|all|every ~2 tool|tools'],
  [
    'cross-tool',
    'always|must|only ~2 use|call|prefer|invoke|run ~0 this ~1 tool|function|server ~3 before|instead|first',
  ],
  [
    'cross-tool',
    'never|not|dont|stop|avoid ~1 use|call|using|calling|invoke|trust ~2 other|another|any ~2 tool|tools|server|servers',
  ],
  ['cross-tool', 'other|another ~0 tool|tools ~2 deprecated|broken|unsafe|insecure|disabled|unreliable|obsolete'],
];

const PARSED_PHRASES = PHRASES.map(([kind, text]) => parsePhrase(kind, text));

/** Patterns by their first word. */
export const PHRASE_PATTERNS: ReadonlyMap<string, readonly PhrasePattern[]> = groupByFirstWord(PARSED_PHRASES);

function parsePhrase(kind: FindingKind, text: string): PhrasePattern {
  let gap = 0;
  const steps: PhraseStep[] = [];
  for (const piece of text.split(' ')) {
    if (piece.startsWith('~')) gap = Number(piece.slice(1));
    else
      steps.push({
        gap,
        words: new Set(piece.split('|').map(each => (each.startsWith('{') ? each : foldLookalikes(each)))),
      });
  }
  return { kind, steps };
}

function groupByFirstWord(all: readonly PhrasePattern[]): Map<string, PhrasePattern[]> {
  const found = new Map<string, PhrasePattern[]>();
  for (const pattern of all) {
    for (const word of pattern.steps[0]?.words ?? []) found.set(word, [...(found.get(word) ?? []), pattern]);
  }
  return found;
}

const SECRET_PLACES =
  /\.ssh\b|(?:^|[^a-z])id_(?:rsa|ed25519|ecdsa|dsa)\b|authorized_keys|\/etc\/(?:passwd|shadow|sudoers)|\.aws\/|\.kube\/config|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials|\.gnupg|(?:^|[~/])\.env\b|\.cursor\/|\.config\/gcloud|claude_desktop_config|mcp\.json|\.bash_history|\.zsh_history|keychain-db|wallet\.dat/;

/** Tells if a word is a path at which systems store secrets. */
export const isSensitive = (word: string): boolean => SECRET_PLACES.test(word);
