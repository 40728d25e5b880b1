import type { ClientOptions, CreateMessageParams, ElicitFormParams } from 'tenon';

/** What a client of the tests was asked, and what it answers. */
export interface ReceivedInputs {
  readonly forms: ElicitFormParams[];
  readonly samples: CreateMessageParams[];
  readonly urls: string[];
}

const fields: Record<string, unknown> = {
  name: 'Grace',
  mail: 'grace@example.com',
  ratio: 0.25,
  colour: 'green',
  size: 'l',
  days: ['mo', 'tu'],
  fruits: ['a'],
  yes: true,
  kinds: ['x', 'y'],
};

/** A client that can answer whatever a server may ask. */
export function createAnswers(response: ReceivedInputs = { forms: [], samples: [], urls: [] }): ClientOptions {
  return {
    elicit(form) {
      response.forms.push(form);
      const { properties } = form.requestedSchema;
      const content = Object.entries(properties).flatMap(([name, field]) => {
        const value = fields[name];
        if (value === undefined) return [];
        return [[name, Array.isArray(value) && field.type === 'string' ? value.join(', ') : value]];
      });
      return { action: 'accept', content: Object.fromEntries(content) };
    },
    elicitUrl({ url }) {
      response.urls.push(url);
      return { action: 'accept' };
    },
    sample(request) {
      response.samples.push(request);
      const used = request.messages.some(({ content }) => [content].flat().some(({ type }) => type === 'tool_result'));
      if (request.tools === undefined || used)
        return { role: 'assistant', content: { type: 'text', text: 'Hm.' }, model: 'm1', stopReason: 'endTurn' };
      const content = [
        { type: 'text' as const, text: 'Let me see.' },
        { type: 'tool_use' as const, id: 'u1', name: 'look', input: {} },
      ];
      return { role: 'assistant', content, model: 'm1', stopReason: 'toolUse' };
    },
    sampleTools: true,
    roots: [{ uri: 'file:///home/ada', name: 'Home', _meta: { 'com.example/kind': 'root' } }],
  };
}
