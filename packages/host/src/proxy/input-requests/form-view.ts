import {
  checkFunction,
  checkObject,
  describeIssues,
  findJsonLoss,
  isObject,
  requireArgument,
  requireKnownOptions,
  toJsonObject,
} from '@tenon/base';
import { type ElicitFormParams, type ElicitResult, loadPeerSchema } from 'tenon';
import { type FormValue, findRefusal } from 'tenon/host-internals';
import { createFieldView, type FieldView } from './field-view.js';
import { createSecretWarning, doesMessageAskForSecret } from './secret-fields.js';
import type { ViewOptions } from './url-view.js';
import { createLinkWarnings, MAX_LABEL, MAX_MESSAGE, sanitizeForView, type ViewWarning } from './view-warning.js';

/**
 * Form of a server, as data for a user interface: the server, the fields, and warnings. Texts are safe to display, and
 * no text may become a link. The user can change every field before `submit`, and can choose `decline` or `cancel` at
 * any time.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#user-interaction-model
 */
export interface FormView {
  /** Discriminator: always `form`. */
  readonly kind: 'form';
  /** Name of the server in the configuration of the user, not the name that the server declares. */
  readonly server: string;
  /** Message of the server, safe to display. */
  readonly message: string;
  /** Fields, in the order of the schema. */
  readonly fields: readonly FieldView[];
  /** Warnings to show with the form. */
  readonly warnings: readonly ViewWarning[];
  /** Reason why the form must be declined without displaying it. `undefined` unless `secrets` is `refuse`. */
  readonly refusalReason: string | undefined;
  /** Buttons to show. */
  readonly choices: readonly ['submit', 'decline', 'cancel'];
}

export interface FormViewOptions extends ViewOptions {
  /**
   * Handling of a form that seems to request a secret, which the specification forbids.
   *
   * - `warn` shows the form with a warning.
   * - `refuse` declines the form.
   *
   * The detection uses words only.
   *
   * @default `warn`
   */
  readonly secrets?: 'warn' | 'refuse' | undefined;
}

/** Maximum number of displayed fields of one form. */
const MAX_FIELDS = 100;

/** Creates the view of a form, with warnings about its fields. */
export function createFormView(form: ElicitFormParams, options: FormViewOptions): FormView {
  requireKnownOptions('createFormView', options, { secrets: true, server: true, sanitizeText: true });
  requireArgument('`form` of createFormView', form, checkObject({ requestedSchema: checkObject() }));
  requireArgument('`sanitizeText` of createFormView', options.sanitizeText, checkFunction);
  const { sanitizeText, secrets = 'warn' } = options;
  const server = sanitizeForView(options.server, sanitizeText, MAX_LABEL);
  const message = sanitizeForView(form.message, sanitizeText, MAX_MESSAGE);
  const fields = createFieldViews(form, options);
  const secretWarnings = [
    ...(doesMessageAskForSecret(message) || doesMessageAskForSecret(String(form.message))
      ? [createSecretWarning(server)]
      : []),
    ...fields.flatMap(({ secret, label }) => (secret ? [createSecretWarning(server, label)] : [])),
  ];
  const [first] = secretWarnings;
  return {
    kind: 'form',
    server,
    message,
    fields,
    warnings: [
      ...secretWarnings,
      ...createLinkWarnings(form.message),
      ...fields.flatMap(each => findFieldWarnings(each, form)),
      ...createOmittedWarnings(form, fields),
    ],
    refusalReason: secrets === 'refuse' && first ? first.text : undefined,
    choices: ['submit', 'decline', 'cancel'],
  };
}

/** Result of a submitted form, or its errors. */
export type FormOutcome =
  | { readonly choice: 'submit'; readonly values: { readonly [name: string]: FormValue | undefined } }
  | { readonly choice: 'decline' | 'cancel' };

/**
 * Creates the result of a form, or returns the errors in the entered values. `undefined` as value means that the user
 * closed the form.
 *
 * Absent fields get their defaults. Fields with the value `undefined` are empty.
 */
export async function createFormResult(
  form: ElicitFormParams,
  outcome: FormOutcome | undefined,
): Promise<ElicitResult | { readonly issue: string }> {
  if (outcome?.choice === 'decline') return { action: 'decline' };
  if (outcome?.choice !== 'submit') return { action: 'cancel' };
  const content = createContent(form, outcome.values);
  // JSON has no such number, and the server would get null.
  const loss = findJsonLoss(content);
  if (loss) return { issue: `at ${loss.path}: expected a finite number, got ${loss.kind}` };
  const { requestedSchema } = form;
  const validator = await loadPeerSchema({ ...requestedSchema });
  const refusal = findRefusal(validator.check(content));
  return refusal === undefined ? { action: 'accept', content } : { issue: describeIssues(refusal.issues) };
}

/**
 * Creates the content of the result. Contains declared fields only. A field may have any name, including `__proto__`.
 */
function createContent(form: ElicitFormParams, values: { readonly [name: string]: FormValue | undefined }) {
  const keepText = (text: string) => text;
  const entries = createFieldViews(form, { sanitizeText: keepText }).flatMap(({ name, value }) => {
    const entered = Object.hasOwn(values, name) ? values[name] : value;
    return entered === undefined ? [] : [[name, entered] as const];
  });
  return Object.fromEntries(entries);
}

function createFieldViews(
  { requestedSchema }: ElicitFormParams,
  { sanitizeText }: Pick<ViewOptions, 'sanitizeText'>,
): FieldView[] {
  const { required } = requestedSchema;
  const needed = new Set(Array.isArray(required) ? required : []);
  return getProperties(requestedSchema)
    .slice(0, MAX_FIELDS)
    .map(([name, field]) => createFieldView(name, field, needed.has(name), sanitizeText));
}

function getProperties({ properties }: { readonly properties?: unknown }): [string, unknown][] {
  return isObject(properties) ? Object.entries(properties) : [];
}

/** Searches the original texts of the server for links, because a sanitized link may no longer look like one. */
function findFieldWarnings({ name, label, kind }: FieldView, { requestedSchema }: ElicitFormParams): ViewWarning[] {
  const unknown = `“${label}” is of a kind that is not known here, and is shown as a text.`;
  const field: unknown = requestedSchema.properties[name];
  const { title = '', description = '' } = toJsonObject(field);
  return [
    ...createLinkWarnings(`${name} ${title} ${description}`, label),
    ...(kind === 'unknown' ? [{ code: 'unknown-field' as const, text: unknown, field: label }] : []),
  ];
}

function createOmittedWarnings({ requestedSchema }: ElicitFormParams, fields: readonly FieldView[]): ViewWarning[] {
  const count = getProperties(requestedSchema).length - fields.length;
  return count > 0 ? [{ code: 'left-out', text: `${count} further fields are not shown.` }] : [];
}
