import { type Check, checkObject, isObject, type JsonObject, requireArgument } from '@tenon/base';
import type { CreateMessageParams, ElicitFormParams, ElicitUrlParams, SamplingMessage, Tool } from 'tenon';
import { HIDDEN_KINDS } from './finding.js';
import { screenToolTexts } from './screen-definitions.js';
import { screenMessages } from './screen-results.js';
import {
  createScreener,
  mapChanged,
  replaceFields,
  requireScreening,
  SCREENING,
  type Screened,
  type Screener,
  type Screening,
} from './screener.js';

/** Members of a form whose texts are only shown. The response contains the other ones, so they must not change. */
const SHOWN_MEMBERS: ReadonlySet<string> = new Set(['title', 'description', 'enumNames']);

type ScreenableParams = JsonObject | CreateMessageParams | ElicitFormParams | ElicitUrlParams;

const checkParams: Check = checkObject();

/**
 * Screens the parameters of an elicitation or a sampling request: the message and the form, or the system prompt, the
 * messages and the tools. The names and values of a form never change, because the response contains them. Findings in
 * them and in the URL are only reported.
 *
 * @throws TenonError `options/invalid` if `params` is no object, or for an unknown option.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#security-considerations
 */
export function screenInputRequest<Params extends ScreenableParams>(
  params: Params,
  screening: Screening = {},
): Screened<Params> {
  requireArgument('`params` of screenInputRequest', params, checkParams);
  requireScreening('screenInputRequest', screening, SCREENING);
  const screener = createScreener(screening, HIDDEN_KINDS);
  return screener.finish(replaceFields(params, screenFields(params as JsonObject, screener)));
}

/** Returns the screened members. */
function screenFields(params: JsonObject, screener: Screener): object {
  const changes: { [name: string]: unknown } = {};
  for (const name of ['message', 'systemPrompt']) {
    const text = params[name];
    if (typeof text === 'string') changes[name] = screener.screenText(text, name);
  }
  const { url, requestedSchema, messages, tools } = params;
  if (typeof url === 'string') screener.reportText(url, 'url');
  if (isObject(requestedSchema))
    changes.requestedSchema = screener.screenDeep(requestedSchema, 'requestedSchema', SHOWN_MEMBERS);
  if (Array.isArray(messages)) changes.messages = screenMessages(messages as SamplingMessage[], screener, 'messages/');
  if (Array.isArray(tools))
    changes.tools = mapChanged(tools, (tool: unknown, index) =>
      isObject(tool) ? screenToolTexts(tool as Partial<Tool>, screener, `tools/${index}/`) : tool,
    );
  return changes;
}
