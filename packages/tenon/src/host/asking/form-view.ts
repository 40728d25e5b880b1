import { isObject } from '../../jsonrpc/message.js';
import type { ElicitFormParams, ElicitResult, FormValue } from '../../model/asking.js';
import { describeIssues } from '../../schemas/issues.js';
import { type FieldView, fieldView } from './field-view.js';
import { messageAsks, secretWarning } from './secrets.js';
import type { ViewOptions } from './url-view.js';
import { linkWarning, MAX_LABEL, MAX_MESSAGE, shownText, type Warning } from './warning.js';

/**
 * A form of a server, as data for whoever shows it: who asks, for what, and what to beware of. Texts are safe to show; no
 * text is a link. The user can change every field before `submit`, and `decline` or `cancel` at any moment.
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#user-interaction-model
 */
export interface FormView {
  readonly kind: 'form';
  /** Who asks: the name that the user has given the server, not one that it gives itself. */
  readonly server: string;
  readonly message: string;
  readonly fields: readonly FieldView[];
  readonly warnings: readonly Warning[];
  /** Why the form is not to be shown but declined. Only with `secrets: 'refuse'`. */
  readonly refused: string | undefined;
  readonly choices: readonly ['submit', 'decline', 'cancel'];
}

export interface FormViewOptions extends ViewOptions {
  /**
   * What becomes of a form that seems to ask for a secret. Servers must not, but only words tell: `warn` shows it with a
   * warning, `refuse` has it declined. Default `warn`.
   */
  readonly secrets?: 'warn' | 'refuse' | undefined;
}

/** How many fields of one form are shown. */
const MAX_FIELDS = 100;

export function elicitView(form: ElicitFormParams, options: FormViewOptions): FormView {
  const { safeText, secrets = 'warn' } = options;
  const server = shownText(options.server, safeText, MAX_LABEL);
  const message = shownText(form.message, safeText, MAX_MESSAGE);
  const fields = fieldsOf(form, options);
  const asking = [
    ...(messageAsks(message) || messageAsks(String(form.message)) ? [secretWarning(server)] : []),
    ...fields.flatMap(({ secret, label }) => (secret ? [secretWarning(server, label)] : [])),
  ];
  const [first] = asking;
  return {
    kind: 'form',
    server,
    message,
    fields,
    warnings: [
      ...asking,
      ...linkWarning(form.message),
      ...fields.flatMap(each => fieldWarnings(each, form)),
      ...leftOut(form, fields),
    ],
    refused: secrets === 'refuse' && first ? first.text : undefined,
    choices: ['submit', 'decline', 'cancel'],
  };
}

/** What the user did with a form. */
export type FormOutcome =
  | { readonly choice: 'submit'; readonly values: { readonly [name: string]: FormValue | undefined } }
  | { readonly choice: 'decline' | 'cancel' };

/**
 * The answer to the server, or what is wrong with what was entered: show it, and let the user go on. `undefined`: the form
 * was closed without a choice. Fields that are absent have their defaults; `undefined` is a field that was emptied.
 */
export async function formAnswer(
  form: ElicitFormParams,
  outcome: FormOutcome | undefined,
): Promise<ElicitResult | { readonly problem: string }> {
  if (outcome?.choice === 'decline') return { action: 'decline' };
  if (outcome?.choice !== 'submit') return { action: 'cancel' };
  const content = contentOf(form, outcome.values);
  const { requestedSchema } = form;
  const { compileJson } = await import('../../schemas/foreign.js');
  const checked = compileJson({ ...requestedSchema }).check(content);
  return checked.ok === false ? { problem: describeIssues(checked.issues) } : { action: 'accept', content };
}

/** Only what was asked for goes out. A name may be anything, `__proto__` too. */
function contentOf(form: ElicitFormParams, values: { readonly [name: string]: FormValue | undefined }) {
  const plain = (text: string) => text;
  const entries = fieldsOf(form, { safeText: plain }).flatMap(({ name, value }) => {
    const entered = Object.hasOwn(values, name) ? values[name] : value;
    return entered === undefined ? [] : [[name, entered] as const];
  });
  return Object.fromEntries(entries);
}

function fieldsOf({ requestedSchema }: ElicitFormParams, { safeText }: Pick<ViewOptions, 'safeText'>): FieldView[] {
  const { required } = requestedSchema;
  const needed = new Set(Array.isArray(required) ? required : []);
  return entriesOf(requestedSchema)
    .slice(0, MAX_FIELDS)
    .map(([name, field]) => fieldView(name, field, needed.has(name), safeText));
}

function entriesOf({ properties }: { readonly properties?: unknown }): [string, unknown][] {
  return isObject(properties) ? Object.entries(properties) : [];
}

/** Links are looked for in what the server wrote: made safe, a link may no longer look like one. */
function fieldWarnings({ name, label, kind }: FieldView, { requestedSchema }: ElicitFormParams): Warning[] {
  const unknown = `“${label}” is of a kind that is not known here, and is shown as a text.`;
  const field: unknown = requestedSchema.properties[name];
  const { title = '', description = '' } = isObject(field) ? field : {};
  return [
    ...linkWarning(`${name} ${title} ${description}`, label),
    ...(kind === 'unknown' ? [{ code: 'unknown-field' as const, text: unknown, field: label }] : []),
  ];
}

function leftOut({ requestedSchema }: ElicitFormParams, fields: readonly FieldView[]): Warning[] {
  const count = entriesOf(requestedSchema).length - fields.length;
  return count > 0 ? [{ code: 'left-out', text: `${count} further fields are not shown.` }] : [];
}
