import type { ClientOptions } from 'tenon';
import { type ReceivedInputs as Answered, createAnswers } from '../versions/answers.js';

/** What the client was asked so far. */
export type RecordedRequest = Answered;

/** A client that answers whatever it is asked, but for what it is asked not to. */
export function createRecordedAnswers(): { readonly request: RecordedRequest; readonly options: ClientOptions } {
  const request: RecordedRequest = { forms: [], samples: [], urls: [] };
  const { elicit, ...rest } = createAnswers(request);
  const options: ClientOptions = {
    ...rest,
    elicit(form, about) {
      const wish = /^Please (decline|cancel)$/.exec(form.message)?.[1] as 'decline' | 'cancel' | undefined;
      if (wish === undefined) return elicit?.(form, about) ?? { action: 'cancel' };
      request.forms.push(form);
      return { action: wish };
    },
  };
  return { request, options };
}
