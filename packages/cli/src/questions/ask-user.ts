import { findInexactInteger } from '@tenon/base';
import {
  createFormResult,
  createFormView,
  createUrlResult,
  createUrlView,
  type FormView,
  sanitizeText,
  type ViewWarning,
} from '@tenon/host';
import type { ElicitFormParams, ElicitResult, ElicitUrlParams } from 'tenon';
import type { CliContext } from '../cli-context.js';
import type { Question, Terminal } from '../terminal.js';
import { parseDecimal } from '../tools/parse-decimal.js';
import { formatIssue } from './format-issue.js';

type Field = FormView['fields'][number];
type FieldValue = Field['value'];

interface QuestionInfo {
  /** Name of the server. */
  readonly server: string;
  readonly signal?: AbortSignal;
}

/** Value of a field that the user leaves empty. `undefined` means that there is no answer. */
const EMPTY = Symbol('empty');

/** Asks the user for the fields of a form, one by one. The end of the input cancels the form. */
export async function askForm(
  { screen, terminal }: CliContext,
  form: ElicitFormParams,
  { server, signal }: QuestionInfo,
): Promise<ElicitResult> {
  const view = createFormView(form, { server, sanitizeText });
  const consent = await terminal.confirm({ message: 'Answer?', details: describeQuestion(view), signal });
  if (consent !== true) return { action: consent === false ? 'decline' : 'cancel' };
  const values = new Map<string, FieldValue>();
  for (const field of view.fields) {
    let { value } = field;
    let issue: string | undefined;
    do {
      const answer = await askField(terminal, form, { ...field, value }, signal);
      if (answer === undefined) return { action: 'cancel' };
      value = answer === EMPTY ? undefined : answer;
      issue = await findIssue(form, field, value);
      if (issue !== undefined) screen.note(`Not valid: ${issue}`);
    } while (issue !== undefined);
    values.set(field.name, value);
  }
  const result = await createFormResult(form, { choice: 'submit', values: Object.fromEntries(values) });
  if (!('issue' in result)) return result;
  screen.note(`Not valid: ${sanitizeText(formatIssue(result.issue), { lines: true })}`);
  return { action: 'cancel' };
}

/** Asks the user to open a page. */
export async function askUrl(
  { terminal }: CliContext,
  question: ElicitUrlParams,
  { server, signal }: QuestionInfo,
): Promise<ElicitResult> {
  const view = createUrlView(question, { server, sanitizeText });
  const details = `${describeQuestion(view)}\nOpen this page in a browser, if you trust ${view.site}:\n${view.url}`;
  const answer = await terminal.confirm({ message: 'Did you open it?', details, signal });
  return createUrlResult(answer ? 'open' : answer === false ? 'decline' : undefined);
}

interface QuestionView {
  readonly server: string;
  readonly message: string;
  readonly warnings: readonly ViewWarning[];
}

const describeQuestion = ({ server, message, warnings }: QuestionView): string =>
  [`\n${server} asks: ${message}`, ...warnings.map(({ text }) => `  ! ${text}`)].join('\n');

/** Asks for the value of one field. Resolves with `undefined` if there is no answer. */
async function askField(
  terminal: Terminal,
  form: ElicitFormParams,
  field: Field,
  signal: AbortSignal | undefined,
): Promise<FieldValue | typeof EMPTY> {
  const { kind, label, description, required, options, value } = field;
  const notes = [...(description === undefined ? [] : [description]), ...(required ? [] : ['optional'])];
  const question = { message: notes.length > 0 ? `${label} (${notes.join('; ')})` : label, signal };
  const empty = required ? [] : [{ value: EMPTY, label: 'No value' } as const];
  switch (kind) {
    case 'boolean': {
      if (required) return terminal.confirm({ ...question, initial: value === true });
      const booleans = [true, false].map(each => ({ value: each, label: each ? 'Yes' : 'No' }));
      return terminal.select<FieldValue | typeof EMPTY>({
        ...question,
        options: [...booleans, ...empty],
        initial: value ?? EMPTY,
      });
    }
    case 'choice':
      return terminal.select<FieldValue | typeof EMPTY>({
        ...question,
        options: [...options, ...empty],
        initial: value ?? EMPTY,
      });
    case 'choices': {
      const initial = Array.isArray(value) ? value : [];
      const chosen = await terminal.selectSeveral({ ...question, options, initial, allowNone: true });
      return chosen?.length === 0 && !required ? EMPTY : chosen;
    }
    default:
      return askTextField(terminal, form, field, question);
  }
}

/** Asks for the text of a field until it is valid. */
async function askTextField(
  terminal: Terminal,
  form: ElicitFormParams,
  field: Field,
  question: Question,
): Promise<FieldValue | typeof EMPTY> {
  const initial = field.value === undefined ? '' : sanitizeText(String(field.value));
  const parse = (text: string): FieldValue => (text === initial ? field.value : parseText(field, text.trim()));
  const validate = (text: string) => findIssue(form, field, parse(text));
  const text = await (field.secret
    ? terminal.askSecret({ ...question, validate })
    : terminal.askText({ ...question, initial, validate }));
  return text === undefined ? undefined : (parse(text) ?? EMPTY);
}

/** Converts typed text. Text that is not a number stays text, and the schema of the field reports the issue. */
function parseText({ kind }: Field, text: string): FieldValue {
  if (text === '') return undefined;
  const isExactNumber = (kind === 'number' || kind === 'integer') && findInexactInteger(text) === undefined;
  return (isExactNumber ? parseDecimal(text) : undefined) ?? text;
}

/** Returns the reason why a value does not fit its field. */
async function findIssue(
  { requestedSchema, ...form }: ElicitFormParams,
  { name, required }: Field,
  value: FieldValue,
): Promise<string | undefined> {
  const fields = Object.entries(requestedSchema.properties).filter(([key]) => key === name);
  const properties = Object.fromEntries(fields);
  const schema = { type: 'object', properties, ...(required ? { required: [name] } : {}) } as const;
  const outcome = { choice: 'submit', values: Object.fromEntries([[name, value]]) } as const;
  const result = await createFormResult({ ...form, requestedSchema: schema }, outcome);
  return 'issue' in result ? sanitizeText(formatIssue(result.issue, true)) : undefined;
}
