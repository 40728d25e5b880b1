import type { ElicitFormParams, ElicitResult, ElicitUrlParams } from 'tenon';
import {
  createFormResult,
  createFormView,
  createUrlResult,
  createUrlView,
  type FormView,
  sanitizeText,
  type ViewWarning,
} from 'tenon/host';
import type { CliContext } from '../cli-context.js';
import { YES_OR_NO } from '../terminal.js';

type Field = FormView['fields'][number];
type FieldValue = Field['value'];

interface QuestionInfo {
  /** Name of the server. */
  readonly server: string;
  readonly signal?: AbortSignal;
}

/** Maximum number of times that a form is shown again after invalid values. */
const MAX_TRIES = 5;

/** Asks the user for the fields of a form, one by one. The end of the input cancels the form. */
export async function askForm(
  { screen, terminal }: CliContext,
  form: ElicitFormParams,
  { server, signal }: QuestionInfo,
): Promise<ElicitResult> {
  const view = createFormView(form, { server, sanitizeText });
  showQuestion(screen, view);
  const consent = await terminal.choose('Answer? [y/n] ', YES_OR_NO, { signal });
  if (consent !== 'yes') return { action: consent === 'no' ? 'decline' : 'cancel' };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const values: Record<string, FieldValue> = {};
    for (const field of view.fields) {
      const text = await terminal.ask(describeField(field), { signal, hidden: field.secret });
      if (text === undefined) return { action: 'cancel' };
      values[field.name] = text.trim() === '' ? field.value : parseField(field, text.trim());
    }
    const result = await createFormResult(form, { choice: 'submit', values });
    if (!('problem' in result)) return result;
    screen.note(`Not valid: ${sanitizeText(result.problem, { lines: true })}`);
  }
  return { action: 'cancel' };
}

/** Asks the user to open a page. */
export async function askUrl(
  { screen, terminal }: CliContext,
  question: ElicitUrlParams,
  { server, signal }: QuestionInfo,
): Promise<ElicitResult> {
  const view = createUrlView(question, { server, sanitizeText });
  showQuestion(screen, view);
  screen.note(`Open this page in a browser, if you trust ${view.site}:\n${view.url}`);
  const answer = await terminal.choose('Did you open it? [y/n] ', YES_OR_NO, { signal });
  return createUrlResult(answer === 'yes' ? 'open' : answer === 'no' ? 'decline' : undefined);
}

function showQuestion(
  screen: CliContext['screen'],
  {
    server,
    message,
    warnings,
  }: { readonly server: string; readonly message: string; readonly warnings: readonly ViewWarning[] },
): void {
  screen.note(`\n${server} asks: ${message}`);
  for (const { text } of warnings) screen.note(`  ! ${text}`);
}

function describeField({ label, description, kind, options, required, value }: Field): string {
  const choices = options.map(({ label: shown }, index) => `\n    ${index + 1}  ${shown}`).join('');
  const notes = [
    ...(description === undefined ? [] : [description]),
    ...(kind === 'boolean' ? ['y/n'] : []),
    ...(kind === 'choice' ? ['one number'] : []),
    ...(kind === 'choices' ? ['numbers with commas between them'] : []),
    ...(required ? [] : ['optional']),
  ];
  const usual = value === undefined ? '' : ` [${Array.isArray(value) ? value.join(', ') : value}]`;
  return `  ${label}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}${choices}${choices === '' ? '' : '\n  '}${usual}: `;
}

/** Converts typed text. A value of another type is returned as text, and the form reports the problem. */
function parseField({ kind, options }: Field, text: string): FieldValue {
  switch (kind) {
    case 'number':
    case 'integer':
      return Number.isNaN(Number(text)) ? text : Number(text);
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : text;
    case 'choice':
      return parseChoice(options, text);
    case 'choices':
      return text.split(',').map(each => parseChoice(options, each.trim()));
    default:
      return text;
  }
}

function parseChoice(options: Field['options'], text: string): string {
  const byText = options.find(({ value, label }) => value === text || label === text);
  return byText?.value ?? options[Number(text) - 1]?.value ?? text;
}
