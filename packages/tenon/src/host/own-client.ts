import { capabilitiesOf } from '../client/answering.js';
import type { Answers, Asked, ClientOptions } from '../client/options.js';
import { isObject } from '../jsonrpc/message.js';
import type { Caller } from '../server/caller.js';
import { ASKING_SERVER } from './guarding/questions.js';
import { KNOWS_SERVERS } from './relay/hop.js';

/** What the client of the application itself is. */
export function ownIdentity(answers: Answers): Answers & Pick<ClientOptions, 'extensions'> {
  return { ...ownAnswers(answers), extensions: [{ id: KNOWS_SERVERS }] };
}

/** That client as the host sees it. */
export function ownCaller(answers: Answers): Caller {
  return { client: undefined, capabilities: capabilitiesOf(ownIdentity(answers)), auth: undefined };
}

/** What the application answers itself. It hears which of the servers asks, by its name in the host. */
function ownAnswers({ elicit, elicitUrl, sample, sampleTools, roots }: Answers): Answers {
  return {
    ...(elicit ? { elicit: (form, asked) => elicit(form, byName(form, asked)) } : {}),
    ...(elicitUrl ? { elicitUrl: (question, asked) => elicitUrl(question, byName(question, asked)) } : {}),
    ...(sample ? { sample: (request, asked) => sample(request, byName(request, asked)) } : {}),
    ...(sampleTools === undefined ? {} : { sampleTools }),
    ...(roots ? { roots } : {}),
  };
}

function byName(params: object, asked: Asked): Asked {
  const { _meta } = params as { _meta?: unknown };
  const server = isObject(_meta) ? _meta[ASKING_SERVER] : undefined;
  return typeof server === 'string' ? { ...asked, server } : asked;
}
