import type { ClientHandlers, ElicitFormParams } from 'tenon';

/** What was asked of a client, in order. */
export type ReceivedRequests = string[];

/** A user who agrees to everything, a model that echoes, and one root: the same for every peer. */
export function createAnswers(requests: ReceivedRequests = []): {
  readonly [K in 'elicit' | 'elicitUrl' | 'sample' | 'roots']: NonNullable<ClientHandlers[K]>;
} {
  return {
    elicit(form: ElicitFormParams) {
      requests.push(`form ${form.message}`);
      const { properties } = form.requestedSchema;
      const content = Object.fromEntries(
        Object.keys(properties).flatMap(name =>
          name in ELICITED_VALUES ? [[name, ELICITED_VALUES[name] as string | boolean]] : [],
        ),
      );
      return { action: 'accept', content };
    },
    elicitUrl({ url }) {
      requests.push(`url ${url}`);
      return { action: 'accept' };
    },
    sample({ messages }) {
      requests.push('sample');
      const [first] = [messages[0]?.content ?? []].flat();
      return {
        role: 'assistant',
        model: 'echo',
        stopReason: 'endTurn',
        content: { type: 'text', text: first?.type === 'text' ? `You said: ${first.text}` : 'Nothing' },
      };
    },
    roots() {
      requests.push('roots');
      return [{ uri: 'file:///work', name: 'Work' }];
    },
  };
}

const ELICITED_VALUES: Readonly<Record<string, string | boolean>> = {
  name: 'Ada',
  yes: true,
  replace: true,
  sure: true,
  check: true,
  email: 'ada@example.com',
};
