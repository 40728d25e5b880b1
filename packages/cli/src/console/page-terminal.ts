import type { InputResponse } from '@tenon/console/api';
import type { Question, SecretQuestion, SelectOption, Terminal, TextQuestion } from '../terminal.js';
import type { InputInbox } from './input-inbox.js';

/** Creates a terminal whose questions the user answers in the page: approvals, and values that a server needs. */
export function createPageTerminal(inbox: InputInbox, server: string): Terminal {
  const askForm = async ({ message, details, signal }: Question, field: object): Promise<unknown> => {
    const schema = { type: 'object', properties: { value: { title: message, ...field } }, required: ['value'] };
    const response = await inbox.ask({ server, kind: 'form', message, details, signal, schema });
    return readValue(response);
  };
  const askText = async (question: TextQuestion, field: object = {}): Promise<string | undefined> => {
    const value = await askForm(question, { type: 'string', default: question.initial ?? '', ...field });
    if (typeof value !== 'string') return undefined;
    const text = value === '' ? (question.fallback ?? '') : value;
    const issue = await question.validate?.(text);
    return issue === undefined ? text : askText({ ...question, message: `${question.message} (${issue})` }, field);
  };
  const findValue = <T>(options: readonly SelectOption<T>[], label: unknown): T | undefined =>
    options.find(each => each.label === label)?.value;
  return {
    interactive: true,
    askText: question => askText(question),
    askSecret: (question: SecretQuestion) => askText(question, { format: 'password' }),
    confirm: ({ message, details, signal }) => inbox.approve({ server, message, details, signal }),
    async select({ options, ...question }) {
      return findValue(options, await askForm(question, { enum: options.map(({ label }) => label) }));
    },
    async selectSeveral({ options, ...question }) {
      const items = { enum: options.map(({ label }) => label) };
      const labels = await askForm(question, { type: 'array', items, uniqueItems: true });
      return Array.isArray(labels) ? labels.flatMap(label => findValue(options, label) ?? []) : undefined;
    },
    releaseStdin: async () => {},
  };
}

const readValue = ({ action, content }: InputResponse): unknown => (action === 'accept' ? content?.value : undefined);
